/*
 * A graph as the orders see it: compact lists, and a model of live memory that
 * is the lifetime stage's to the byte. Memory depends on which ops have run and
 * hardly on their order: that is what every rule, polish pass, bound and search
 * here works with.
 *
 * Only tensors that an order can move are listed. External and empty ones are
 * gone; those alive throughout are one number, pinned ones one number a step.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_VIEW_H
#define MP_ORDER_VIEW_H

#include "base/lists.h"
#include "graph/graph.h"

/* The output may take the input's bytes where the input dies. Indices are
 * tensors of the view. */
struct view_pair {
	uint32_t output, input;
};

struct view {
	struct graph folded;	   /* in which every tensor has its own bytes */
	const struct graph *graph; /* the same */
	uint32_t n_ops, n_tensors;

	/* An op. Lists are ascending, each member once. */
	struct lists before;  /* ops that it waits for */
	struct lists behind;  /* ops that wait for it */
	struct lists inputs;  /* tensors that it uses and that can die */
	struct lists outputs; /* tensors born at it, temporaries too */
	uint64_t *out;	      /* bytes of its outputs */
	uint64_t *dead;	      /* bytes of those that are gone after it */
	uint64_t *credit;     /* the most that in-place pairs can save at it */

	/* A tensor: alive from its producer until all users have run. */
	struct lists users; /* ops; none if nothing ever frees it */
	uint64_t *size;	    /* bytes, rounded to the graph's alignment */
	uint32_t *producer; /* NONE: alive before the first op */
	bool *to_end;	    /* never freed; else, without users, dead at once */
	uint32_t *tensor;   /* its index in the graph */

	/* In-place pairs by op; NULL: there are none, or they do not count. */
	uint32_t *first_pair; /* n_ops + 1 */
	struct view_pair *pairs;

	uint64_t at_start; /* bytes of tensors without producer */
	uint64_t always;   /* bytes alive at every step, whatever the order */
	uint64_t *pinned;  /* bytes at each step besides; NULL: none */
};

/* Is the tensor an input of the op? */
bool mp_order_view_reads(const struct view *view, uint32_t op, uint32_t t);

static inline bool mp_order_view_is_dead(const struct view *view, uint32_t t)
{
	return !view->to_end[t] &&
	       view->users.first[t] == view->users.first[t + 1];
}

/* With inplace false the pairs are left out. */
bool mp_order_view_init(struct view *view, const struct graph *graph,
	bool inplace, struct arena *arena);

/* Live memory while ops run one after the other. */
struct live {
	uint32_t *left; /* of a tensor: users that have not run */
	uint64_t now;	/* bytes alive between steps, pinned ones left out */
	uint32_t step;	/* ops that have run */

	/* Only where there are pairs. */
	uint32_t *born;	 /* step from which a tensor's bytes are its own */
	uint32_t *taken; /* last query in which it shared its bytes */
	uint32_t query;
};

bool mp_order_live_init(
	struct live *live, const struct view *view, struct arena *arena);

/* Back to where no op has run. */
void mp_order_live_reset(struct live *live, const struct view *view);

/* Bytes alive while the op runs, if it runs next. */
uint64_t mp_order_live_cost(
	struct live *live, const struct view *view, uint32_t op);

/* Bytes of the inputs that die at the op, if it runs next. */
uint64_t mp_order_live_freed(
	const struct live *live, const struct view *view, uint32_t op);

/* Runs the op; gives its cost. */
uint64_t mp_order_live_run(
	struct live *live, const struct view *view, uint32_t op);

/* The cost of every step of an order; gives the greatest. costs may be NULL.
 * live is scratch. */
uint64_t mp_order_view_profile(const struct view *view, const uint32_t *ops,
	struct live *live, uint64_t *costs);

#endif
