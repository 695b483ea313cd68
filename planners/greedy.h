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

/* Places all buffers in that order, fixed ones first, and offers the plan. Ends
 * with PLAN_GAVE_UP as soon as it cannot be smaller than the best one. */
enum outcome mp_greedy_place(
	struct job *job, const uint32_t *order, enum fit fit);

#endif
