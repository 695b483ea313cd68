/* SPDX-License-Identifier: MIT */
#include "problem/branch-sets.h"

enum {
	MOST_SETS = 100
};

bool mp_problem_branch_sets_init(struct branch_sets *sets,
	const struct problem *problem, struct arena *arena)
{
	*sets = (struct branch_sets){.problem = problem, .n = 1};
	if (!problem->choice)
		return true;
	sets->branches = NEW(arena, uint32_t, problem->n_choices);
	if (!sets->branches)
		return false;
	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		uint32_t choice = problem->choice[i];

		if (choice != NONE &&
			problem->branch[i] + 1 >= sets->branches[choice])
			sets->branches[choice] = problem->branch[i] + 2;
	}
	for (uint32_t c = 0; c < problem->n_choices; c++)
		if (sets->branches[c] > 0 && sets->n <= MOST_SETS)
			sets->n *= sets->branches[c] <= MOST_SETS
					   ? sets->branches[c]
					   : MOST_SETS + 1;
	if (sets->n > MOST_SETS)
		sets->n = 1;
	return true;
}

bool mp_problem_branch_sets_take(
	const struct branch_sets *sets, uint32_t set, uint32_t part)
{
	const struct problem *p = sets->problem;
	uint32_t buffer = p->parts[part].buffer;

	if (sets->n == 1 || p->choice[buffer] == NONE)
		return true;
	for (uint32_t c = 0; c < p->choice[buffer]; c++)
		if (sets->branches[c] > 0)
			set /= sets->branches[c];
	return set % sets->branches[p->choice[buffer]] == p->branch[buffer];
}
