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

/* The choice that a choice stands in, 0: none, and the branch of it. */
static uint32_t above(const struct memplan_replay_plan *plan, uint32_t choice,
	uint32_t *branch)
{
	if (choice > plan->n_choices)
		return 0;
	*branch = plan->choices[choice - 1].in_branch;
	assert(plan->choices[choice - 1].in_choice < choice);
	return plan->choices[choice - 1].in_choice;
}

static void count_branch(uint32_t *branches, uint32_t choice, uint32_t branch)
{
	if (choice > 0 && branches[choice] <= branch)
		branches[choice] = branch + 1;
}

static void count_branches(struct run *run)
{
	const struct memplan_replay_plan *plan = run->plan;
	uint32_t *branches = run->choices.branches;

	for (uint32_t t = 0; t < plan->n_tensors; t++) {
		const struct memplan_tensor *tensor = &plan->tensors[t];

		count_branch(branches, tensor->choice, tensor->branch);
	}
	for (uint32_t c = 1; c <= plan->n_choices; c++) {
		uint32_t branch = 0, choice = above(plan, c, &branch);

		count_branch(branches, choice, branch);
	}
}

/* The tensors in branches, one of which each run goes to; none if no choice
 * stands in a branch. */
static void list_goals(struct run *run)
{
	const struct memplan_replay_plan *plan = run->plan;
	struct choices *choices = &run->choices;
	int nested = 0;

	for (uint32_t c = 0; c < plan->n_choices; c++)
		nested |= plan->choices[c].in_choice > 0;
	for (uint32_t t = 0; t < plan->n_tensors && nested; t++)
		if (plan->tensors[t].choice > 0)
			choices->goals[choices->n_goals++] = t;
}

/* All combinations if they are few, else as many runs as the widest choice has
 * branches; with choices in branches, as many as there are tensors to go to. */
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
	if (choices->all || choices->n_goals == 0)
		return choices->all ? product : widest;
	return choices->n_goals < MOST_WAYS ? choices->n_goals : MOST_WAYS;
}

enum memplan_status mp_replay_find_choices(struct run *run)
{
	struct choices *choices = &run->choices;

	choices->n = run->plan->n_choices;
	for (uint32_t t = 0; t < run->plan->n_tensors; t++)
		if (run->plan->tensors[t].choice > choices->n)
			choices->n = run->plan->tensors[t].choice;
	choices->branches =
		mp_replay_array(run, choices->n, sizeof(*choices->branches));
	choices->taken =
		mp_replay_array(run, choices->n, sizeof(*choices->taken));
	choices->goals = mp_replay_array(
		run, run->plan->n_tensors, sizeof(*choices->goals));
	if (run->is_out)
		return MEMPLAN_ENOMEM;
	count_branches(run);
	list_goals(run);
	choices->n_ways = count_ways(choices);
	if (run->options->repeat > UINT32_MAX / choices->n_ways)
		return MEMPLAN_EUSAGE;
	run->result->runs = run->options->repeat * choices->n_ways;
	return MEMPLAN_OK;
}

/* Takes the branches that the tensor is in. */
static void go_to(struct run *run, uint32_t tensor)
{
	uint32_t choice = run->plan->tensors[tensor].choice;
	uint32_t branch = run->plan->tensors[tensor].branch;

	while (choice > 0) {
		run->choices.taken[choice] = branch;
		choice = above(run->plan, choice, &branch);
	}
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
	if (!choices->all && choices->n_goals > 0)
		go_to(run, choices->goals[(uint64_t)way * choices->n_goals /
					  choices->n_ways]);
}

int mp_replay_takes_bytes(const struct run *run, uint32_t t)
{
	const struct memplan_tensor *tensor = &run->plan->tensors[t];
	uint32_t choice = tensor->choice, branch = tensor->branch;

	if (tensor->external || tensor->size == 0)
		return 0;
	if (!run->choices.taken)
		return 1;
	assert(choice <= run->choices.n);
	while (choice > 0 && run->choices.taken[choice] == branch)
		choice = above(run->plan, choice, &branch);
	return choice == 0;
}
