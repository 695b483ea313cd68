/*
 * One sweep over the steps counts the bytes of each branch. The heaviest branch
 * of a choice is searched again only when it shrinks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/branches.h"

/* ------------------------------------------------------------ loads */

bool mp_problem_branches_init(struct branch_loads *loads,
	const struct problem *p, struct arena *arena)
{
	uint32_t *first = NEW(arena, uint32_t, (size_t)p->n_choices + 1);

	*loads = (struct branch_loads){.problem = p, .first = first};
	if (!first)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (mp_problem_branches_have(p, i) &&
			p->branch[i] >= first[p->choice[i] + 1])
			first[p->choice[i] + 1] = p->branch[i] + 1;
	for (uint32_t i = 0; i < p->n_choices; i++)
		first[i + 1] += first[i];
	loads->alive = NEW(arena, uint64_t, first[p->n_choices]);
	loads->heaviest = NEW(arena, uint32_t, p->n_choices);
	if (!loads->alive || !loads->heaviest)
		return false;
	mp_problem_branches_clear(loads);
	return true;
}

void mp_problem_branches_clear(struct branch_loads *loads)
{
	uint32_t n = loads->problem->n_choices;

	for (uint32_t i = 0; i < loads->first[n]; i++)
		loads->alive[i] = 0;
	for (uint32_t i = 0; i < n; i++)
		loads->heaviest[i] = loads->first[i];
	loads->total = 0;
}

static uint32_t branch_of(const struct branch_loads *loads, uint32_t buffer)
{
	const struct problem *p = loads->problem;

	return loads->first[p->choice[buffer]] + p->branch[buffer];
}

void mp_problem_branches_add(
	struct branch_loads *loads, uint32_t buffer, uint64_t bytes)
{
	uint32_t branch = branch_of(loads, buffer);
	uint32_t *best = &loads->heaviest[loads->problem->choice[buffer]];

	loads->total -= loads->alive[*best];
	loads->alive[branch] += bytes;
	if (loads->alive[branch] > loads->alive[*best])
		*best = branch;
	loads->total += loads->alive[*best];
}

static uint32_t find_heaviest(const struct branch_loads *loads, uint32_t choice)
{
	uint32_t best = loads->first[choice];

	for (uint32_t i = best; i < loads->first[choice + 1]; i++)
		if (loads->alive[i] > loads->alive[best])
			best = i;
	return best;
}

void mp_problem_branches_remove(
	struct branch_loads *loads, uint32_t buffer, uint64_t bytes)
{
	uint32_t branch = branch_of(loads, buffer);
	uint32_t choice = loads->problem->choice[buffer];
	uint32_t *best = &loads->heaviest[choice];

	loads->total -= loads->alive[*best];
	loads->alive[branch] -= bytes;
	if (*best == branch)
		*best = find_heaviest(loads, choice);
	loads->total += loads->alive[*best];
}

bool mp_problem_branches_are_heaviest(
	const struct branch_loads *loads, uint32_t buffer)
{
	uint32_t choice = loads->problem->choice[buffer];

	return loads->alive[branch_of(loads, buffer)] ==
	       loads->alive[loads->heaviest[choice]];
}

bool mp_problem_branches_take(const struct branch_loads *loads, uint32_t buffer)
{
	return !mp_problem_branches_have(loads->problem, buffer) ||
	       loads->heaviest[loads->problem->choice[buffer]] ==
		       branch_of(loads, buffer);
}

/* ------------------------------------------------------------ steps */

/* Parts of branches by the step at which they begin, or end. */
static bool list_parts(const struct problem *p, bool ends, struct lists *lists,
	struct arena *arena)
{
	const struct part *parts = p->parts;

	if (!mp_lists_init(lists, p->n_steps + 1, arena))
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++)
		if (mp_problem_branches_have(p, parts[i].buffer))
			mp_lists_count(
				lists, ends ? parts[i].end : parts[i].start, 1);
	if (!mp_lists_ready(lists, p->n_steps + 1, arena))
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++)
		if (mp_problem_branches_have(p, parts[i].buffer))
			mp_lists_add(
				lists, ends ? parts[i].end : parts[i].start, i);
	return true;
}

bool mp_problem_branches_load(
	const struct problem *problem, uint64_t *load, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	const struct part *parts = problem->parts;
	struct branch_loads loads;
	struct lists starts, ends;
	bool fine = mp_problem_branches_init(&loads, problem, arena) &&
		    list_parts(problem, false, &starts, arena) &&
		    list_parts(problem, true, &ends, arena);

	for (uint32_t k = 0; fine && k < problem->n_steps; k++) {
		struct ids over = mp_lists_at(&ends, k);
		struct ids born = mp_lists_at(&starts, k);

		for (uint32_t i = 0; i < over.n; i++)
			mp_problem_branches_remove(&loads,
				parts[over.at[i]].buffer,
				parts[over.at[i]].size);
		for (uint32_t i = 0; i < born.n; i++)
			mp_problem_branches_add(&loads,
				parts[born.at[i]].buffer,
				parts[born.at[i]].size);
		load[k] += loads.total;
	}
	mp_arena_rewind(arena, mark);
	return fine;
}

/* ----------------------------------------------------- combinations */

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
