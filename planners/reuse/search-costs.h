/*
 * The least cost of reuse, by an exact search.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_REUSE_SEARCH_COSTS_H
#define MP_PLANNERS_REUSE_SEARCH_COSTS_H

#include "planners/planner.h"

/* Puts buffers of the problem where no other plan of at most `limit` bytes
 * costs less, as far as the steps of the job suffice, beginning with offsets of
 * a valid plan. Fills in *least. False: memory is out. */
bool mp_planner_search_costs(
	struct job *job, uint64_t limit, uint64_t *offsets, uint64_t *least);

#endif
