/*
 * The search for an order of least peak. Its passes share the best order so far
 * and the best lower bound on the peak of every order; each pass improves one
 * of them. A pass stops when the two meet or when the budget of steps is spent.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_INSIDE_H
#define MP_ORDER_SEARCH_INSIDE_H

#include "order/order.h"
#include "order/search/cut.h"
#include "order/view.h"

struct search {
	const struct view *view;
	uint32_t *order; /* the best so far */
	uint32_t *place; /* of an op in it */
	uint64_t *costs; /* of its steps */
	uint64_t peak;	 /* the greatest of them */
	bool refined;	 /* cut refinement cannot improve it */
	uint64_t *seen;	 /* of an op: its least cost in any order measured, or
			    the bytes of its cut */
	uint64_t enough; /* stop at an order of at most this peak */
	uint64_t steps;	 /* work left */
	const atomic_bool *stop;
	struct watch watch;
	struct order_bound bound;
	uint32_t *members; /* ops of the bound */
	struct cut cut;
	struct live live;
	uint32_t *trial;       /* scratch: an order to be offered */
	uint64_t *trial_costs; /* scratch: of its steps */
	struct arena *arena;
};

/* Starts from an order. */
bool mp_order_search_init(struct search *s, const struct view *view,
	const uint32_t *order, uint64_t steps, struct arena *arena);

/* Counts work. False: the budget is spent. */
bool mp_order_search_step(struct search *s, uint64_t work);

/* True if the budget is spent, or the peak is optimal or low enough. */
bool mp_order_search_done(const struct search *s);

/* The cost of every step of s->trial, in s->trial_costs; gives the peak. */
uint64_t mp_order_search_measure(struct search *s);

/* Makes s->trial, which was measured, the best order. */
void mp_order_search_accept(struct search *s, uint64_t peak);

/* Measures s->trial and accepts it if its peak is lower, or if it is equal and
 * fewer steps have it. False: it was not accepted. */
bool mp_order_search_take(struct search *s);

/* Raises the bound to so many bytes, if that is higher: by cuts, as one of the
 * ops runs last (or first) of them; without ops, by a search of all orders. */
void mp_order_search_prove(
	struct search *s, uint64_t bytes, struct ids ops, bool first);

/* Solves s->cut and counts the work. False: memory is out. */
bool mp_order_search_solve(struct search *s, uint64_t price, uint64_t limit);

/* A lower bound on what an op adds to the bytes alive before it: its outputs
 * less what in-place pairs can save. Of several pairs with the same output only
 * one can save, but the credit counts all. */
static inline uint64_t mp_order_search_need(const struct search *s, uint32_t op)
{
	return s->view->out[op] -
	       num_min(s->view->out[op], s->view->credit[op]);
}

/* The passes. False: memory is out. */

/* search.c: the first stages of all passes but the last. */
bool mp_order_search_improve(struct search *s);

/* search-bound.c: minimum cuts before single ops, the most expensive ops first,
 * until `patience` in a row have improved nothing. */
bool mp_order_search_bound_cut(struct search *s, uint32_t patience);

/* search-bound.c: minimum cuts for sets of ops, one of which runs last or
 * first; sets grow from so many steps. */
bool mp_order_search_bound_set(struct search *s, uint32_t seeds);

/* search-refine.c: reorders around the peak as minimum cuts say. */
bool mp_order_search_refine(struct search *s);

/* search-hills.c: merges independent parts around the peak optimally. */
bool mp_order_search_hills(struct search *s);

/* search-window.c: exact search around the peak, of so many nodes a try. */
bool mp_order_search_windows(struct search *s, uint64_t nodes);

/* search-dust.c: all passes again without the smallest tensors. */
bool mp_order_search_dust(struct search *s);

/* ----------------------------------------------------- exact search */

/*
 * Exact search in a window, a range of steps of the best order: is there an
 * order of its ops, with the other ops left in place, in which no step of the
 * window costs more than a threshold? Depth-first over the sets of ops that
 * have run, each visited once.
 */

enum exact_outcome {
	EXACT_FOUND,   /* s->trial is such an order */
	EXACT_REFUTED, /* there is none */
	EXACT_GAVE_UP, /* no nodes or steps are left */
	EXACT_FAILED,  /* memory is out */
};

/* Searches steps [from, to) of s->order. After EXACT_REFUTED, *next is the
 * smallest cost that exceeded the threshold: no lower threshold has an order.
 */
enum exact_outcome mp_order_exact_window(struct search *s, uint32_t from,
	uint32_t to, uint64_t threshold, uint64_t nodes, uint64_t *next);

#endif
