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

struct sweep {
	const struct problem *problem;
	struct branch_loads loads;

	/* Parts by the step at which they begin and end. */
	uint32_t *starts, *first_start;
	uint32_t *ends, *first_end;
};

static bool is_chosen(const struct sweep *s, uint32_t part)
{
	return mp_problem_branches_have(
		s->problem, s->problem->parts[part].buffer);
}

static uint32_t step_of(const struct sweep *s, uint32_t part, bool end)
{
	const struct part *p = &s->problem->parts[part];

	return end ? p->end : p->start;
}

/* Counting sort by start or by end; first gets n_steps + 2 places. */
static bool sort(struct sweep *s, bool end, uint32_t **parts, uint32_t **first,
	struct arena *arena)
{
	uint32_t n = s->problem->n_parts, steps = s->problem->n_steps;
	uint32_t *at;

	*parts = NEW(arena, uint32_t, n);
	*first = NEW(arena, uint32_t, (size_t)steps + 3);
	if (!*parts || !*first)
		return false;
	at = *first;
	for (uint32_t i = 0; i < n; i++)
		at[step_of(s, i, end) + 2] += is_chosen(s, i);
	for (uint32_t k = 0; k <= steps; k++)
		at[k + 2] += at[k + 1];
	for (uint32_t i = 0; i < n; i++)
		if (is_chosen(s, i))
			(*parts)[at[step_of(s, i, end) + 1]++] = i;
	return true;
}

static void walk(struct sweep *s, uint64_t *load)
{
	const struct part *parts = s->problem->parts;

	for (uint32_t k = 0; k < s->problem->n_steps; k++) {
		for (uint32_t i = s->first_end[k]; i < s->first_end[k + 1]; i++)
			mp_problem_branches_remove(&s->loads,
				parts[s->ends[i]].buffer,
				parts[s->ends[i]].size);
		for (uint32_t i = s->first_start[k]; i < s->first_start[k + 1];
			i++)
			mp_problem_branches_add(&s->loads,
				parts[s->starts[i]].buffer,
				parts[s->starts[i]].size);
		load[k] += s->loads.total;
	}
}

bool mp_problem_branches_load(
	const struct problem *problem, uint64_t *load, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct sweep s = {.problem = problem};
	bool fine = mp_problem_branches_init(&s.loads, problem, arena) &&
		    sort(&s, false, &s.starts, &s.first_start, arena) &&
		    sort(&s, true, &s.ends, &s.first_end, arena);

	if (fine)
		walk(&s, load);
	mp_arena_rewind(arena, mark);
	return fine;
}
