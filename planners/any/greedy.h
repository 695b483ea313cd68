/*
 * The greedy rows, and their loop for planners that make the order in another
 * way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_ANY_GREEDY_H
#define MP_PLANNERS_ANY_GREEDY_H

#include "planners/any/conflict.h"
#include "planners/any/rank.h"
#include "planners/planner.h"

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
	TFLITE_GREEDY,
	XLA_SPATIAL,
	XLA_TEMPORAL,
	TVM_SIZE,
	TVM_CONFLICTS,
	MLIR_BEST,
};

/* Takes note of work in one pass over the buffers, and of all done in it. While
 * there is no plan at all, a pass outlives its budget: what it would leave is
 * not worth having. False: end it now. */
bool mp_planner_greedy_goes_on(struct job *job, uint64_t work, uint64_t *done);

/* Places all buffers in that order, fixed ones first, and gives the height. As
 * soon as that would reach the limit it ends, with a height of UINT64_MAX.
 * False: memory is out. */
bool mp_planner_greedy_fill(struct job *job, const uint32_t *order,
	enum fit fit, uint64_t limit, uint64_t *offsets, uint64_t *height);

/* Likewise, and offers the plan if it is smaller than the best one. */
enum outcome mp_planner_greedy_place(
	struct job *job, const uint32_t *order, enum fit fit);

#endif
