/* SPDX-License-Identifier: MIT */
#include "problem/branch-sets.h"

enum {
	MOST_WAYS = 100
};

bool mp_problem_branch_sets_init(
	struct ways *ways, const struct problem *problem, struct arena *arena)
{
	*ways = (struct ways){.problem = problem, .n = 1};
	if (!problem->choice)
		return true;
	ways->branches = NEW(arena, uint32_t, problem->n_choices);
	if (!ways->branches)
		return false;
	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		uint32_t choice = problem->choice[i];

		if (choice != NONE &&
			problem->branch[i] + 1 >= ways->branches[choice])
			ways->branches[choice] = problem->branch[i] + 2;
	}
	for (uint32_t c = 0; c < problem->n_choices; c++)
		if (ways->branches[c] > 0 && ways->n <= MOST_WAYS)
			ways->n *= ways->branches[c] <= MOST_WAYS
					   ? ways->branches[c]
					   : MOST_WAYS + 1;
	if (ways->n > MOST_WAYS)
		ways->n = 1;
	return true;
}

bool mp_problem_branch_sets_take(
	const struct ways *ways, uint32_t way, uint32_t part)
{
	const struct problem *p = ways->problem;
	uint32_t buffer = p->parts[part].buffer;

	if (ways->n == 1 || p->choice[buffer] == NONE)
		return true;
	for (uint32_t c = 0; c < p->choice[buffer]; c++)
		if (ways->branches[c] > 0)
			way /= ways->branches[c];
	return way % ways->branches[p->choice[buffer]] == p->branch[buffer];
}
