/*
 * Branch combinations: a run takes one branch of every choice.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_BRANCH_SETS_H
#define MP_PROBLEM_BRANCH_SETS_H

#include "problem/problem.h"

struct branch_sets {
	const struct problem *problem;
	uint32_t *branches; /* of a choice: how many, and one that is empty */
	uint32_t n; /* combinations; 1 if there are no choices or too many
		       combinations: then all parts are in it */
};

/* False only if memory is out. */
bool mp_problem_branch_sets_init(struct branch_sets *sets,
	const struct problem *problem, struct arena *arena);

/* Does the part live in that combination, which is below n? */
bool mp_problem_branch_sets_take(
	const struct branch_sets *sets, uint32_t set, uint32_t part);

#endif
