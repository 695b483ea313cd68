/*
 * A walk over the sets of ops that may have run: op by op forward and back,
 * with the bytes alive after each. It shares no code with bounds and search,
 * so that it can hold them to account.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_SET_WALK_H
#define MP_ORDER_SEARCH_SET_WALK_H

#include "base/keys.h"
#include "base/lists.h"
#include "graph/graph.h"

struct set_walk {
	const struct graph *graph;
	const struct order_bound *claim;
	struct lists users; /* of a tensor: ops until which it is alive */
	struct lists used;  /* the same, of an op */
	uint32_t *left;	    /* of a tensor: users that have not run */
	uint32_t *waits;    /* of an op: those before it that have not run */
	uint32_t *path, length;
	uint64_t *ran; /* the ops of the path, as bits */
	uint32_t n_words;
	uint64_t alive;	    /* bytes, after the path */
	uint64_t *alive_at; /* the same, before each op of the path */
	struct keys sets;   /* those that were added */
	uint64_t looks;	    /* at ops, tensors and words */
};

/* No op has run, and no set is added. False: memory is out. */
bool mp_order_walk_init(struct set_walk *walk, const struct graph *graph,
	const struct order_bound *claim, struct arena *arena);

static inline bool mp_order_walk_ran(const struct set_walk *walk, uint32_t op)
{
	return walk->ran[op / 64] >> op % 64 & 1;
}

/* Is the op ready, with a step of less than the claimed bytes? In-place pairs
 * save the most that they can. */
bool mp_order_walk_may_run(struct set_walk *walk, uint32_t op);

void mp_order_walk_run(struct set_walk *walk, uint32_t op);

/* Takes ops back until the path has this length. */
void mp_order_walk_retreat(struct set_walk *walk, uint32_t length);

/* Adds the set of the path; fresh: it was not there. False: memory is out. */
bool mp_order_walk_add(struct set_walk *walk, bool *fresh);

/* Was the set of the path added? False: memory is out. */
bool mp_order_walk_has(struct set_walk *walk, bool *has);

#endif
