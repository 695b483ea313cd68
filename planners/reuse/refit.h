/*
 * A refit: a plan with buffers removed and placed again, each at an
 * address that makes the fewest overwrites; and the weight of the overwrites of
 * the plan at hand.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_REUSE_REFIT_H
#define MP_PLANNERS_REUSE_REFIT_H

#include "planners/reuse/layout.h"

struct refit_candidate {
	uint64_t base;
	int64_t gain;
};

struct refit {
	const struct problem *problem;
	struct layout layout;
	uint64_t *offsets; /* one a buffer; undefined if it is not placed */
	int64_t weight;	   /* of the overwrites among placed buffers */
	struct refit_candidate *candidates;
	uint32_t n_candidates, room;
	uint64_t random;
	uint32_t cut; /* part for which the layout is cut, or NONE */
};

/* Places no buffer. False only if memory is out. */
bool mp_planner_refit_init(struct refit *refit, const struct problem *problem,
	uint64_t limit, uint64_t seed, struct arena *arena);

/* A number below n, which is not 0. */
uint32_t mp_planner_refit_random(struct refit *refit, uint32_t n);

/* Removes a buffer, and places one at an address where it has room. */
void mp_planner_refit_take(struct refit *refit, uint32_t buffer);
void mp_planner_refit_put(struct refit *refit, uint32_t buffer, uint64_t base);

/* One of the best bases for a buffer that is not placed, by chance. False:
 * there is no room. */
bool mp_planner_refit_choose(
	struct refit *refit, uint32_t buffer, uint64_t *base);

/* Removes all buffers but those with a fixed offset. */
void mp_planner_refit_clear(struct refit *refit);

/* Places a buffer, or all of them, where it was before. The caller sets the
 * weight. */
void mp_planner_refit_undo(struct refit *refit, uint32_t buffer, uint64_t base);
void mp_planner_refit_restore(
	struct refit *refit, const uint64_t *offsets, int64_t weight);

#endif
