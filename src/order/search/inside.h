/*
 * The search for an order of least peak, and what its passes share: the best
 * order so far, and the best bound that holds for every order. Each pass makes
 * either better and leaves the rest alone; a pass stops when the two meet or
 * its budget is spent.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_INSIDE_H
#define MP_ORDER_SEARCH_INSIDE_H

#include "order/order.h"
#include "order/search/cut.h"
#include "order/view.h"

/* Why no order has a smaller peak. */
enum bound_rule {
	RULE_NONE,
	RULE_LAST,   /* one of the members runs last of them */
	RULE_FIRST,  /* one of the members runs first of them */
	RULE_SEARCH, /* all orders of a smaller peak were ruled out */
};

/* With one member the two rules are the same, and called a cut. */
struct bound {
	uint64_t value; /* bytes */
	enum bound_rule rule;
	uint32_t members[ORDER_BOUND_OPS]; /* ops */
	uint32_t n_members;
};

struct search {
	const struct view *view;
	uint32_t *order; /* the best so far */
	uint32_t *place; /* of an op in it */
	uint64_t *costs; /* of its steps */
	uint64_t peak;	 /* the greatest of them */
	bool refined;	 /* cut refinement makes nothing better of it */
	uint64_t *
		seen; /* least cost of an op in any order seen, or by its cut */
	uint64_t enough; /* stop at an order of at most this peak */
	uint64_t steps;	 /* work left */
	const atomic_bool *stop;
	struct watch watch;
	struct bound bound;
	struct cut cut;
	struct live live;
	uint32_t *trial;       /* scratch: an order to be offered */
	uint64_t *trial_costs; /* scratch: of its steps */
	struct arena *arena;
};

/* Starts from an order. */
bool mp_order_search_init(struct search *s, const struct view *view,
	const uint32_t *order, uint64_t steps, struct arena *arena);

/* Takes note of work done; false: the budget is spent. */
bool mp_order_search_step(struct search *s, uint64_t work);

/* True once nothing better is wanted. */
bool mp_order_search_done(const struct search *s);

/* The cost of every step of s->trial, in s->trial_costs; gives the peak. */
uint64_t mp_order_search_measure(struct search *s);

/* Makes s->trial, which was measured, the best order. */
void mp_order_search_accept(struct search *s, uint64_t peak);

/* Measures s->trial, and accepts it if its peak is lower or if fewer steps have
 * it. False: it was neither. */
bool mp_order_search_take(struct search *s);

/* Raises the bound. */
void mp_order_search_prove(struct search *s, uint64_t value,
	enum bound_rule rule, const uint32_t *members, uint32_t n_members);

/* What an op costs at least, beside the bytes alive before it. Pairs that share
 * an output are all in the credit, though only one of them can save. */
static inline uint64_t mp_order_search_need(const struct search *s, uint32_t op)
{
	return s->view->out[op] -
	       num_min(s->view->out[op], s->view->credit[op]);
}

/* The passes. False only if memory is out. */

/* search.c: all of the below but the last, until nothing more comes of it. */
bool mp_order_search_improve(struct search *s);

/* search-bound.c: the cheapest moment of one op, the most expensive ones first,
 * until so many in a row have made nothing better. */
bool mp_order_search_bound_cut(struct search *s, uint32_t patience);

/* search-bound.c: sets of ops, one of which runs last or first. */
bool mp_order_search_bound_set(struct search *s, uint32_t seeds);

/* search-refine.c: runs the cheapest set first around the peak. */
bool mp_order_search_refine(struct search *s);

/* search-hills.c: parallel parts around the peak, merged by hills and valleys.
 */
bool mp_order_search_hills(struct search *s);

/* search-window.c: exact search around the peak, with so many nodes a try. */
bool mp_order_search_windows(struct search *s, uint64_t nodes);

/* search-dust.c: the same again without the smallest tensors. */
bool mp_order_search_dust(struct search *s);

#endif
