/*
 * Greedy placing: one buffer after the other in a fixed order, each at the gap
 * that the fit picks among the buffers already placed. The rows, and their loop
 * for planners that make the order in another way.
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
	GREEDY_LIFETIME,
	GREEDY_LIFETIME_BEST,
	GREEDY_CONFLICTS,
	GREEDY_CONFLICTS_BEST,
	GREEDY_URGENCY,
	GREEDY_BREADTH,
	GREEDY_BREADTH_BEST,
	ONLINE_BEST,
};

struct greedy_rule {
	enum rank_key keys[RANK_KEYS]; /* the order: most important key first */
	enum fit fit;
};

/* Charges work of one pass over the buffers to the job, and adds it to what the
 * pass has done. While the job has no plan at all, a pass outlives its budget,
 * because half a pass is no plan. False: end the pass now. */
bool mp_planner_greedy_goes_on(struct job *job, uint64_t work, uint64_t *done);

/* Places all buffers in that order, a permutation, fixed ones first. Gives the
 * height, or UINT64_MAX as soon as it would reach the limit. False: memory is
 * out. */
bool mp_planner_greedy_fill(struct job *job, const uint32_t *order,
	enum fit fit, uint64_t limit, uint64_t *offsets, uint64_t *height);

/* Places by a rule, and offers the plan if it is smaller than the best one. */
enum outcome mp_planner_greedy_follow(
	struct job *job, const struct greedy_rule *rule);

/* Runs greedy rows one after the other, as long as it goes on; with threads the
 * next one is run ahead. False: a row has failed. */
bool mp_planner_greedy_line(struct job *job, const struct planner *const *rows,
	uint32_t n, bool (*goes_on)(const struct job *job));

#endif
