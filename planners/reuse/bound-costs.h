/*
 * A lower bound on the cost of reuse.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_REUSE_BOUND_COSTS_H
#define MP_PLANNERS_REUSE_BOUND_COSTS_H

#include "problem/problem.h"

/* Fills in what all plans of at most `limit` bytes cost at least, because of
 * buffers that have no room beside each other. False: memory is out. */
bool mp_planner_bound_costs(const struct problem *problem, uint64_t limit,
	uint64_t *least, struct arena *arena);

#endif
