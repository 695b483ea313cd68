/*
 * One sweep over the steps. A branch has its bytes alive, a choice the heaviest
 * of its branches; that is looked for again only when the heaviest shrinks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "choices.h"

struct sweep {
	const struct problem *problem;
	uint32_t *first;    /* of a choice: its first branch; n_choices + 1 */
	uint64_t *alive;    /* of a branch: bytes */
	uint32_t *heaviest; /* of a choice: a branch */
	uint64_t total;	    /* of the heaviest ones */

	/* Parts by the step at which they begin and end. */
	uint32_t *starts, *first_start;
	uint32_t *ends, *first_end;
};

static bool is_chosen(const struct sweep *s, uint32_t part)
{
	return s->problem->choice[s->problem->parts[part].buffer] != NONE;
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

static bool number_branches(struct sweep *s, struct arena *arena)
{
	const struct problem *p = s->problem;

	s->first = NEW(arena, uint32_t, (size_t)p->n_choices + 1);
	if (!s->first)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (p->choice[i] != NONE &&
			p->branch[i] >= s->first[p->choice[i] + 1])
			s->first[p->choice[i] + 1] = p->branch[i] + 1;
	for (uint32_t i = 0; i < p->n_choices; i++)
		s->first[i + 1] += s->first[i];
	s->alive = NEW(arena, uint64_t, s->first[p->n_choices]);
	s->heaviest = NEW(arena, uint32_t, p->n_choices);
	if (!s->alive || !s->heaviest)
		return false;
	for (uint32_t i = 0; i < p->n_choices; i++)
		s->heaviest[i] = s->first[i];
	return true;
}

static uint32_t branch_of(const struct sweep *s, uint32_t part)
{
	uint32_t buffer = s->problem->parts[part].buffer;

	return s->first[s->problem->choice[buffer]] +
	       s->problem->branch[buffer];
}

static void begin(struct sweep *s, uint32_t part)
{
	uint32_t branch = branch_of(s, part);
	uint32_t *best =
		&s->heaviest[s->problem
				     ->choice[s->problem->parts[part].buffer]];

	s->total -= s->alive[*best];
	s->alive[branch] += s->problem->parts[part].size;
	if (s->alive[branch] > s->alive[*best])
		*best = branch;
	s->total += s->alive[*best];
}

static uint32_t find_heaviest(const struct sweep *s, uint32_t choice)
{
	uint32_t best = s->first[choice];

	for (uint32_t i = best; i < s->first[choice + 1]; i++)
		if (s->alive[i] > s->alive[best])
			best = i;
	return best;
}

static void end(struct sweep *s, uint32_t part)
{
	uint32_t branch = branch_of(s, part);
	uint32_t choice = s->problem->choice[s->problem->parts[part].buffer];
	uint32_t *best = &s->heaviest[choice];

	s->total -= s->alive[*best];
	s->alive[branch] -= s->problem->parts[part].size;
	if (*best == branch)
		*best = find_heaviest(s, choice);
	s->total += s->alive[*best];
}

static void walk(struct sweep *s, uint64_t *load)
{
	for (uint32_t k = 0; k < s->problem->n_steps; k++) {
		for (uint32_t i = s->first_end[k]; i < s->first_end[k + 1]; i++)
			end(s, s->ends[i]);
		for (uint32_t i = s->first_start[k]; i < s->first_start[k + 1];
			i++)
			begin(s, s->starts[i]);
		load[k] += s->total;
	}
}

bool mp_choices_load(
	const struct problem *problem, uint64_t *load, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct sweep s = {.problem = problem};
	bool fine = number_branches(&s, arena) &&
		    sort(&s, false, &s.starts, &s.first_start, arena) &&
		    sort(&s, true, &s.ends, &s.first_end, arena);

	if (fine)
		walk(&s, load);
	mp_arena_rewind(arena, mark);
	return fine;
}
