/*
 * The greedy rows, and their loop for planners that make the order in another
 * way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GREEDY_H
#define MP_GREEDY_H

#include "conflict.h"
#include "planner.h"
#include "rank.h"

enum greedy {
	GREEDY_SIZE,
	GREEDY_SIZE_BEST,
	GREEDY_AREA,
	GREEDY_AREA_BEST,
	GREEDY_LIFETIME,
	GREEDY_LIFETIME_BEST,
	GREEDY_CONFLICTS,
	GREEDY_CONFLICTS_BEST,
	GREEDY_URGENCY,
	GREEDY_URGENCY_BEST,
	GREEDY_BREADTH,
	GREEDY_BREADTH_BEST,
	ONLINE_BEST,
};

/* Places all buffers in that order, fixed ones first. As soon as the plan
 * cannot be smaller than the best one it ends, with a height of UINT64_MAX.
 * False: memory is out. */
bool mp_greedy_fill(struct job *job, const uint32_t *order, enum fit fit,
	uint64_t *offsets, uint64_t *height);

/* Likewise, and offers the plan; or PLAN_GAVE_UP. */
enum outcome mp_greedy_place(
	struct job *job, const uint32_t *order, enum fit fit);

#endif
