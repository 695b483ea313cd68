/*
 * Branches: lists the branch combinations, and chooses the one that a run
 * takes. Runs take them in turn, so that states live through all of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replay/inside.h"

#include <assert.h>

enum {
	MOST_WAYS = 64, /* with more combinations, not every branch meets every
			   other */
};

static void count_branches(struct run *run)
{
	const struct memplan_replay_plan *plan = run->plan;
	uint32_t *branches = run->choices.branches;

	for (uint32_t t = 0; t < plan->n_tensors; t++) {
		const struct memplan_tensor *tensor = &plan->tensors[t];

		if (tensor->choice > 0 &&
			branches[tensor->choice] <= tensor->branch)
			branches[tensor->choice] = tensor->branch + 1;
	}
}

/* All combinations if they are few, else as many runs as the widest choice has
 * branches. */
static uint32_t count_ways(struct choices *choices)
{
	uint32_t product = 1, widest = 1;

	for (uint32_t c = 1; c <= choices->n; c++) {
		uint32_t branches = choices->branches[c];

		widest = branches > widest ? branches : widest;
		if (branches > 0 && product <= MOST_WAYS)
			product *= branches <= MOST_WAYS ? branches
							 : MOST_WAYS + 1;
	}
	choices->all = product <= MOST_WAYS;
	return choices->all ? product : widest;
}

enum memplan_status mp_replay_find_choices(struct run *run)
{
	struct choices *choices = &run->choices;

	for (uint32_t t = 0; t < run->plan->n_tensors; t++)
		if (run->plan->tensors[t].choice > choices->n)
			choices->n = run->plan->tensors[t].choice;
	choices->branches =
		mp_replay_array(run, choices->n, sizeof(*choices->branches));
	choices->taken =
		mp_replay_array(run, choices->n, sizeof(*choices->taken));
	if (run->is_out)
		return MEMPLAN_ENOMEM;
	count_branches(run);
	choices->n_ways = count_ways(choices);
	if (run->options->repeat > UINT32_MAX / choices->n_ways)
		return MEMPLAN_EUSAGE;
	run->result->runs = run->options->repeat * choices->n_ways;
	return MEMPLAN_OK;
}

void mp_replay_choose(struct run *run)
{
	struct choices *choices = &run->choices;
	uint32_t left, way, branches;

	assert(choices->n_ways > 0);
	left = way = run->repeat % choices->n_ways;
	for (uint32_t c = 1; c <= choices->n; c++) {
		branches = choices->branches[c];
		if (branches == 0)
			continue;
		choices->taken[c] = (choices->all ? left : way) % branches;
		left /= branches;
	}
}

int mp_replay_takes_bytes(const struct run *run, uint32_t t)
{
	const struct memplan_tensor *tensor = &run->plan->tensors[t];

	if (tensor->external || tensor->size == 0)
		return 0;
	assert(!run->choices.taken || tensor->choice <= run->choices.n);
	return !run->choices.taken || tensor->choice == 0 ||
	       run->choices.taken[tensor->choice] == tensor->branch;
}
