/*
 * The bytes alive at each step, where bytes are added to ranges of steps and
 * taken off again: a tree over the steps between which loads are the same. A
 * range is a node at each height or two, whatever its length, and the greatest
 * load is at the root.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_LOADS_H
#define MP_PLANNERS_PLAIN_LOADS_H

#include "base/arena.h"
#include "problem/problem.h"

struct loads_node {
	int64_t more; /* bytes at each step below */
	int64_t most; /* with these, but without those of nodes above */
};

struct loads {
	uint32_t *leaf; /* of a step */
	uint32_t n_leaves;
	struct loads_node *nodes; /* node 1 is the root; 2 i and 2 i + 1 are
				     below node i; leaves come last */
};

/* Begins with the loads of a problem. Ranges that are added begin and end where
 * some of its buffers do. False: memory is out. */
bool mp_planner_loads_init(struct loads *loads, const struct problem *problem,
	struct arena *arena);

/* Adds bytes, or takes them off, from one step up to another one. Adds to the
 * looks, at nodes. */
void mp_planner_loads_add(struct loads *loads, uint32_t start, uint32_t end,
	int64_t bytes, uint64_t *looks);

/* The greatest load, in bytes. */
static inline uint64_t mp_planner_loads_most(const struct loads *loads)
{
	return (uint64_t)loads->nodes[1].most;
}

#endif
