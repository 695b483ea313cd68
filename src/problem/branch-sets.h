/*
 * The ways in which a run can go: one branch of every choice is taken.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_BRANCH_SETS_H
#define MP_PROBLEM_BRANCH_SETS_H

#include "problem/problem.h"

struct ways {
	const struct problem *problem;
	uint32_t *branches; /* of a choice: how many, and one that is empty */
	uint32_t n;	    /* 1 where there are no choices, or too many to go
			       all ways: then everything is taken */
};

/* False only if memory is out. */
bool mp_problem_branch_sets_init(
	struct ways *ways, const struct problem *problem, struct arena *arena);

/* Does the part live in that way, below n? */
bool mp_problem_branch_sets_take(
	const struct ways *ways, uint32_t way, uint32_t part);

#endif
