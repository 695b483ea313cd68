/*
 * The view of a graph that all orders work on: compact lists of ops and
 * tensors, and a model of live memory that gives the same bytes as the lifetime
 * stage. The bytes alive depend on the set of ops that have run and, but for
 * in-place pairs, not on their order. All rules, passes, bounds and searches
 * rest on that.
 *
 * Only tensors with lifetimes that depend on the order are listed. External and
 * empty tensors are left out; those alive throughout are one sum, pinned ones
 * one sum a step.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_VIEW_H
#define MP_ORDER_VIEW_H

#include "base/lists.h"
#include "base/num.h"
#include "graph/graph.h"
#include "graph/pair-match.h"

/* The output may take the input's bytes where the input dies. Indices are
 * tensors of the view. */
struct view_pair {
	uint32_t output, input;
};

struct view {
	const struct graph *graph; /* in which every tensor has its own bytes */
	uint32_t n_ops, n_tensors;
	size_t n_edges; /* pairs of ops of which one waits for the other */

	/* Of an op. Lists ascend and do not repeat. Those of the graph, close
	 * together: a walk along the edges of a large graph waits for memory.
	 */
	struct lists before; /* ops that it waits for */
	struct lists behind; /* ops that wait for it */

	struct lists inputs;  /* tensors that it uses and that can die */
	struct lists outputs; /* tensors born at it, temporaries too */
	uint64_t *out;	      /* bytes of its outputs */
	uint64_t *dead;	      /* bytes of outputs that no op uses */
	uint64_t *credit;     /* the most that in-place pairs can save at it */

	/* Of a tensor: alive from its producer until all users have run. */
	struct lists users; /* ops; none if nothing ever frees it */
	uint64_t *size;	    /* bytes, rounded to the graph's alignment */
	uint32_t *producer; /* NONE: alive before the first op */
	bool *to_end;	    /* never freed; else, without users, dead at once */
	uint32_t *tensor;   /* its index in the graph */

	/* In-place pairs by op; NULL: there are none, or they are off. */
	uint32_t *first_pair; /* n_ops + 1 */
	struct view_pair *pairs;

	uint64_t at_start; /* bytes of tensors without producer */
	uint64_t always;   /* bytes alive at every step, whatever the order */
	uint64_t *pinned; /* bytes of pinned tensors at each step; NULL: none */
};

/* Is the tensor an input of the op? */
bool mp_order_view_reads(const struct view *view, uint32_t op, uint32_t t);

/* Bytes that the pair saves where it shares. */
static inline uint64_t mp_order_view_shared(
	const struct view *view, const struct view_pair *pair)
{
	return num_min(view->size[pair->output], view->size[pair->input]);
}

/* Fills the place of the last user of each tensor, from the place of each op; 0
 * where there is none. */
void mp_order_view_last_users(
	const struct view *view, const uint32_t *place, uint32_t *last);

/* Fills all sums of sizes: out, dead, credit, at_start. False: memory is out.
 */
bool mp_order_view_sum(struct view *view, struct arena *arena);

/* From a linked graph; with inplace false without in-place pairs. */
bool mp_order_view_init(struct view *view, const struct graph *graph,
	bool inplace, struct arena *arena);

/* Live memory while ops run one after the other. */
struct live {
	uint32_t *left; /* of a tensor: users that have not run */
	uint64_t now;	/* bytes alive between steps, pinned ones left out */
	uint32_t step;	/* ops that have run */

	/* Only where there are pairs. */
	struct pair_matcher matcher;
	struct shared_pair *permitted; /* of one op; room for all its pairs */
};

bool mp_order_live_init(
	struct live *live, const struct view *view, struct arena *arena);

/* No op has run. */
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
