/*
 * One sweep over the steps counts the bytes of each branch. A tournament of
 * branches knows the heaviest of each choice, of equal ones the first.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/branches.h"

static struct choice_site site_of(const struct problem *p, uint32_t buffer)
{
	return (struct choice_site){p->choice[buffer], p->branch[buffer]};
}

/* ----------------------------------------------------------- ranges */

struct branch_range mp_problem_branches_range(
	const struct problem *problem, uint32_t buffer)
{
	struct choice_site at = site_of(problem, buffer);

	return (struct branch_range){at.choice, at.branch, at.branch};
}

/* The branch that the choice of the range stands in. */
static struct branch_range raise(
	const struct problem *p, struct branch_range range)
{
	struct choice_site at = mp_problem_site(p, range.choice);

	return (struct branch_range){at.choice, at.branch, at.branch};
}

/* Raises both to the innermost choice that both are in; false: there is none. A
 * choice stands in an earlier one. */
static bool meet(
	const struct problem *p, struct branch_range *x, struct branch_range *y)
{
	while (x->choice != y->choice && x->choice != NONE && y->choice != NONE)
		if (x->choice > y->choice)
			*x = raise(p, *x);
		else
			*y = raise(p, *y);
	return x->choice != NONE && x->choice == y->choice;
}

struct branch_range mp_problem_branches_unite(const struct problem *problem,
	struct branch_range x, struct branch_range y)
{
	if (!meet(problem, &x, &y))
		return (struct branch_range){NONE, 0, 0};
	return (struct branch_range){x.choice,
		x.first < y.first ? x.first : y.first,
		x.last > y.last ? x.last : y.last};
}

bool mp_problem_branches_exclude(const struct problem *problem,
	struct branch_range range, uint32_t buffer)
{
	struct branch_range own = mp_problem_branches_range(problem, buffer);

	return meet(problem, &range, &own) &&
	       (own.first < range.first || range.last < own.first);
}

/* ------------------------------------------------------------ loads */

/* Counts the branches of choices that have a buffer or another choice. */
static void count_branches(const struct problem *p, uint32_t *counts)
{
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (mp_problem_branches_have(p, i) &&
			p->branch[i] >= counts[p->choice[i]])
			counts[p->choice[i]] = p->branch[i] + 1;
	for (uint32_t i = 0; i < p->n_choices; i++) {
		struct choice_site site = mp_problem_site(p, i);

		if (site.choice != NONE && site.branch >= counts[site.choice])
			counts[site.choice] = site.branch + 1;
	}
}

bool mp_problem_branches_init(struct branch_loads *loads,
	const struct problem *p, struct arena *arena)
{
	uint32_t *first = NEW(arena, uint32_t, (size_t)p->n_choices + 1);

	*loads = (struct branch_loads){.problem = p, .first = first};
	if (!first)
		return false;
	count_branches(p, first + 1);
	for (uint32_t i = 0; i < p->n_choices; i++)
		first[i + 1] += first[i];
	loads->alive = NEW(arena, uint64_t, first[p->n_choices]);
	if (!loads->alive || !mp_tournament_init(&loads->heaviest,
				     first[p->n_choices], arena))
		return false;
	mp_problem_branches_clear(loads);
	return true;
}

static void set_alive(
	struct branch_loads *loads, uint32_t branch, uint64_t bytes)
{
	loads->alive[branch] = bytes;
	mp_tournament_enter(&loads->heaviest, branch,
		(struct score){-(int64_t)bytes, branch});
}

void mp_problem_branches_clear(struct branch_loads *loads)
{
	uint32_t n = loads->problem->n_choices;

	for (uint32_t i = 0; i < loads->first[n]; i++)
		set_alive(loads, i, 0);
	loads->total = 0;
}

static uint32_t heaviest_of(const struct branch_loads *loads, uint32_t choice)
{
	return mp_tournament_best(&loads->heaviest, loads->first[choice],
		loads->first[choice + 1]);
}

/* A change of the heaviest branch is one of the branch around it. Less is more
 * modulo 2^64. */
static void change(struct branch_loads *loads, uint32_t buffer, uint64_t more)
{
	struct choice_site at = site_of(loads->problem, buffer);

	while (at.choice != NONE && more != 0) {
		uint32_t branch = loads->first[at.choice] + at.branch;
		uint64_t before = loads->alive[heaviest_of(loads, at.choice)];

		set_alive(loads, branch, loads->alive[branch] + more);
		more = loads->alive[heaviest_of(loads, at.choice)] - before;
		at = mp_problem_site(loads->problem, at.choice);
	}
	loads->total += more;
}

void mp_problem_branches_add(
	struct branch_loads *loads, uint32_t buffer, uint64_t bytes)
{
	change(loads, buffer, bytes);
}

void mp_problem_branches_remove(
	struct branch_loads *loads, uint32_t buffer, uint64_t bytes)
{
	change(loads, buffer, -bytes);
}

bool mp_problem_branches_are_heaviest(
	const struct branch_loads *loads, uint32_t buffer)
{
	struct choice_site at = site_of(loads->problem, buffer);

	while (at.choice != NONE &&
		loads->alive[loads->first[at.choice] + at.branch] ==
			loads->alive[heaviest_of(loads, at.choice)])
		at = mp_problem_site(loads->problem, at.choice);
	return at.choice == NONE;
}

bool mp_problem_branches_take(const struct branch_loads *loads, uint32_t buffer)
{
	struct choice_site at = site_of(loads->problem, buffer);

	while (at.choice != NONE && loads->first[at.choice] + at.branch ==
					    heaviest_of(loads, at.choice))
		at = mp_problem_site(loads->problem, at.choice);
	return at.choice == NONE;
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
	count_branches(problem, sets->branches);
	for (uint32_t c = 0; c < problem->n_choices; c++)
		sets->branches[c] += sets->branches[c] > 0;
	for (uint32_t c = 0; c < problem->n_choices; c++)
		if (sets->branches[c] > 0 && sets->n <= MOST_SETS)
			sets->n *= sets->branches[c] <= MOST_SETS
					   ? sets->branches[c]
					   : MOST_SETS + 1;
	if (sets->n > MOST_SETS)
		sets->n = 1;
	return true;
}

/* The branch of a choice in a combination. */
static uint32_t taken(
	const struct branch_sets *sets, uint32_t set, uint32_t choice)
{
	for (uint32_t c = 0; c < choice; c++)
		if (sets->branches[c] > 0)
			set /= sets->branches[c];
	return set % sets->branches[choice];
}

bool mp_problem_branch_sets_take(
	const struct branch_sets *sets, uint32_t set, uint32_t part)
{
	const struct problem *p = sets->problem;
	struct choice_site at = {NONE, 0};

	if (sets->n > 1)
		at = site_of(p, p->parts[part].buffer);
	while (at.choice != NONE && taken(sets, set, at.choice) == at.branch)
		at = mp_problem_site(p, at.choice);
	return at.choice == NONE;
}
