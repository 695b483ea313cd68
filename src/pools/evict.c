/*
 * Eviction from a block that is too small: a sweep over the steps. Where the
 * load exceeds the capacity, the alive members of the least cost leave.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pools/pools.h"

#include <assert.h>
#include <stdlib.h>

#include "base/sort.h"
#include "problem/branches.h"

enum {
	PICKS = 4, /* members found one by one; for more, all are sorted */
};

/* What the sweep needs of a member. */
struct member {
	uint64_t cost, size;
	uint32_t start, end;
	bool movable;
};

struct sweep {
	struct filling *f;
	struct member *at;		   /* one a member */
	const uint32_t *by_start, *by_end; /* members, by step */
	uint32_t *alive;		   /* members, in no order */
	uint32_t *place; /* of a member in alive; NONE: not there */
	uint32_t n_alive;
	uint64_t load;		   /* of alive members of no branch */
	struct branch_loads loads; /* of the others, if there are branches */
};

/* ------------------------------------------------------- membership */

static bool has_branch(const struct sweep *s, uint32_t member)
{
	return mp_problem_branches_have(
		s->f->a->problem, s->f->members[member]);
}

/* Bytes of the load above the capacity. */
static uint64_t excess_of(const struct sweep *s)
{
	uint64_t load = s->load + s->loads.total;

	return load - num_min(load, s->f->capacity);
}

static void add_alive(struct sweep *s, uint32_t member)
{
	assert(s->place[member] == NONE && s->f->stays[member]);
	s->place[member] = s->n_alive;
	s->alive[s->n_alive++] = member;
	if (has_branch(s, member))
		mp_problem_branches_add(
			&s->loads, s->f->members[member], s->at[member].size);
	else
		s->load += s->at[member].size;
}

static void remove_alive(struct sweep *s, uint32_t member)
{
	uint32_t place = s->place[member], last;

	if (place == NONE)
		return;
	assert(s->alive[place] == member);
	last = s->alive[--s->n_alive];
	s->alive[place] = last;
	s->place[last] = place;
	s->place[member] = NONE;
	if (has_branch(s, member))
		mp_problem_branches_remove(
			&s->loads, s->f->members[member], s->at[member].size);
	else
		s->load -= s->at[member].size;
}

/* True if a member may leave and the load falls without it, or will fall once
 * other branches have left. */
static bool would_help(const struct sweep *s, uint32_t member)
{
	return s->at[member].movable &&
	       (!has_branch(s, member) ||
		       mp_problem_branches_are_heaviest(
			       &s->loads, s->f->members[member]));
}

/* ----------------------------------------------------------- choice */

/* The cost of each byte of the excess that a member removes: a member larger
 * than the excess removes no more than that. Where there are several blocks,
 * small members leave first: they fit gaps of other blocks. */
static uint64_t cost_of(const struct sweep *s, uint32_t member, uint64_t excess)
{
	uint64_t size = s->at[member].size, cost;
	uint64_t uses = s->f->a->uses[s->f->members[member]];

	if (s->f->blocks)
		return size;
	return num_mul(uses, num_max(size, excess), &cost) ? cost : UINT64_MAX;
}

struct candidate {
	struct member is;
	uint32_t member;
};

/* The cheapest first; of equal ones the one that ends last. */
static int by_cost(const void *left, const void *right)
{
	const struct candidate *x = left, *y = right;
	const struct member *a = &x->is, *b = &y->is;

	if (a->cost != b->cost)
		return mp_sort_compare(a->cost, b->cost);
	return mp_sort_compare_three(
		b->end, a->end, b->size, a->size, x->member, y->member);
}

static struct candidate candidate_of(
	const struct sweep *s, uint32_t member, uint64_t excess)
{
	struct candidate candidate = {s->at[member], member};

	candidate.is.cost = cost_of(s, member, excess);
	return candidate;
}

static void evict(struct sweep *s, uint32_t member)
{
	assert(s->at[member].movable && s->f->stays[member]);
	s->f->stays[member] = false;
	remove_alive(s, member);
}

/* False: no member may leave. */
static bool evict_cheapest(struct sweep *s)
{
	uint64_t excess = excess_of(s);
	struct candidate best = {.member = NONE}, other;

	for (uint32_t i = 0; i < s->n_alive; i++) {
		if (!would_help(s, s->alive[i]))
			continue;
		other = candidate_of(s, s->alive[i], excess);
		if (best.member == NONE || by_cost(&other, &best) < 0)
			best = other;
	}
	s->f->a->work -= num_min(s->f->a->work, s->n_alive);
	if (best.member == NONE)
		return false;
	evict(s, best.member);
	return true;
}

static bool evict_sorted(struct sweep *s, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct candidate *candidates =
		NEW(scratch, struct candidate, s->n_alive);
	uint64_t excess = excess_of(s);
	uint32_t n = 0;

	if (!candidates)
		return false;
	for (uint32_t i = 0; i < s->n_alive; i++)
		if (s->at[s->alive[i]].movable)
			candidates[n++] = candidate_of(s, s->alive[i], excess);
	if (n > 0)
		qsort(candidates, n, sizeof(*candidates), by_cost);
	for (uint32_t i = 0; i < n && excess_of(s) > 0; i++)
		if (would_help(s, candidates[i].member))
			evict(s, candidates[i].member);
	mp_arena_rewind(scratch, mark);
	return true;
}

/* If no work is left to choose by cost, the newest members leave. */
static void evict_newest(struct sweep *s)
{
	for (uint32_t i = s->n_alive; i-- > 0 && excess_of(s) > 0;)
		if (s->at[s->alive[i]].movable)
			evict(s, s->alive[i]);
}

static bool evict_excess(struct sweep *s, struct arena *scratch)
{
	if (s->f->a->work == 0)
		evict_newest(s);
	for (int i = 0; i < PICKS && excess_of(s) > 0; i++)
		if (!evict_cheapest(s))
			return true;
	if (excess_of(s) > 0 && !evict_sorted(s, scratch))
		return false;
	/* Another branch of a choice may be the heaviest by now. */
	if (excess_of(s) > 0 && s->f->a->problem->choice)
		evict_newest(s);
	return true;
}

/* ------------------------------------------------------------ sweep */

static bool sweep_init(struct sweep *s, struct arena *scratch)
{
	struct filling *f = s->f;
	const struct memory_pool *pool = &f->a->problem->pools[f->pool];
	uint32_t n_steps = f->a->problem->n_steps + 1;
	struct lists starts, ends; /* of a step: members */

	s->at = NEW(scratch, struct member, f->n);
	s->alive = NEW(scratch, uint32_t, f->n);
	s->place = NEW(scratch, uint32_t, f->n);
	if (!s->at || !s->alive || !s->place)
		return false;
	for (uint32_t i = 0; i < f->n; i++) {
		const struct buffer *buffer =
			&f->a->problem->buffers[f->members[i]];

		s->place[i] = NONE;
		s->at[i] = (struct member){0,
			mp_pools_size(f->a->problem, pool, f->members[i]),
			buffer->start, buffer->end,
			mp_pools_fill_may_leave(f, i)};
	}
	if (f->a->problem->choice &&
		!mp_problem_branches_init(&s->loads, f->a->problem, scratch))
		return false;
	if (!mp_lists_group(&starts, n_steps, &s->at->start, sizeof(*s->at),
		    f->n, scratch) ||
		!mp_lists_group(&ends, n_steps, &s->at->end, sizeof(*s->at),
			f->n, scratch))
		return false;
	s->by_start = starts.links;
	s->by_end = ends.links;
	return true;
}

bool mp_pools_evict(struct filling *f, struct arena *scratch)
{
	struct sweep s = {.f = f};
	uint32_t i = 0, over = 0;

	assert(f->capacity != NO_CAPACITY);
	if (!sweep_init(&s, scratch))
		return false;
	while (i < f->n) {
		uint32_t step = s.at[s.by_start[i]].start;

		for (; s.at[s.by_end[over]].end <= step; over++)
			remove_alive(&s, s.by_end[over]);
		for (; i < f->n && s.at[s.by_start[i]].start == step; i++)
			add_alive(&s, s.by_start[i]);
		if (excess_of(&s) > 0 && !evict_excess(&s, scratch))
			return false;
	}
	return true;
}
