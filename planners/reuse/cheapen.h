/*
 * cheapen: a plan within a given size in which the pairs of buffers that share
 * bytes cost little, or if the problem has banks, pairs that touch the same.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_REUSE_CHEAPEN_H
#define MP_PLANNERS_REUSE_CHEAPEN_H

#include "planners/planner.h"

struct cheapen {
	uint64_t limit; /* bytes that the plan may take: its height or more */

	/* What came out. */
	uint64_t before, after; /* cost of the plan handed in, and now */
	uint64_t least;		/* no plan within the limit costs less, as far
				   as proved */
};

/* Changes the job's best plan, and its height, if it finds one that costs less
 * within its steps. False: the verifier rejects it, or memory is out. */
bool mp_planner_cheapen(struct job *job, struct cheapen *cheapen);

/* What the problem's pairs cost with these offsets. */
uint64_t mp_planner_cost(
	const struct problem *problem, const uint64_t *offsets);

#endif
