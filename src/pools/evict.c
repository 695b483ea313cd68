/*
 * Who leaves a block that is too small: from step to step, and where more is
 * alive than there is room, the cheapest go.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pools/pools.h"

#include <stdlib.h>

#include "problem/branches.h"

enum {
	PICKS = 4, /* one by one; then all are sorted */
};

/* Member of the filling, as the sweep looks at it. */
struct swimmer {
	uint64_t cost, size;
	uint32_t start, end;
	bool movable;
};

struct sweep {
	struct filling *f;
	struct swimmer *swimmers; /* one a member */
	uint32_t *by_start, *by_end;
	uint32_t *alive; /* members, in no order */
	uint32_t *place; /* of a member in alive; NONE: not there */
	uint32_t n_alive;
	uint64_t load;		   /* of what is of no branch */
	struct branch_loads loads; /* of what is; where there are branches */
};

/* ------------------------------------------------------- membership */

static bool has_branch(const struct sweep *s, uint32_t member)
{
	return mp_problem_branches_have(
		s->f->a->problem, s->f->members[member]);
}

/* More than there is room; 0: none. */
static uint64_t excess_of(const struct sweep *s)
{
	uint64_t load = s->load + s->loads.total;

	return load - num_min(load, s->f->capacity);
}

static void enter(struct sweep *s, uint32_t member)
{
	s->place[member] = s->n_alive;
	s->alive[s->n_alive++] = member;
	if (has_branch(s, member))
		mp_problem_branches_add(&s->loads, s->f->members[member],
			s->swimmers[member].size);
	else
		s->load += s->swimmers[member].size;
}

static void leave(struct sweep *s, uint32_t member)
{
	uint32_t place = s->place[member], last;

	if (place == NONE)
		return;
	last = s->alive[--s->n_alive];
	s->alive[place] = last;
	s->place[last] = place;
	s->place[member] = NONE;
	if (has_branch(s, member))
		mp_problem_branches_remove(&s->loads, s->f->members[member],
			s->swimmers[member].size);
	else
		s->load -= s->swimmers[member].size;
}

/* It may leave, and less is alive without it, or soon. */
static bool would_help(const struct sweep *s, uint32_t member)
{
	return s->swimmers[member].movable &&
	       (!has_branch(s, member) ||
		       mp_problem_branches_are_heaviest(
			       &s->loads, s->f->members[member]));
}

/* ----------------------------------------------------------- choice */

/* What a byte that is too much costs to remove: what is larger than all that is
 * too much removes no more than that. Of blocks, large ones are filled first
 * and small ones find gaps. */
static uint64_t cost_of(const struct sweep *s, uint32_t member, uint64_t excess)
{
	uint64_t size = s->swimmers[member].size, cost;
	uint64_t uses = s->f->a->uses[s->f->members[member]];

	if (s->f->blocks)
		return size;
	return num_mul(uses, num_max(size, excess), &cost) ? cost : UINT64_MAX;
}

struct rival {
	struct swimmer swimmer;
	uint32_t member;
};

/* Cheap first; of equal ones the one that is in the way for longest. */
static int by_cost(const void *left, const void *right)
{
	const struct rival *x = left, *y = right;
	const struct swimmer *a = &x->swimmer, *b = &y->swimmer;

	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return x->member < y->member ? -1 : x->member > y->member;
}

static struct rival rival_of(
	const struct sweep *s, uint32_t member, uint64_t excess)
{
	struct rival rival = {s->swimmers[member], member};

	rival.swimmer.cost = cost_of(s, member, excess);
	return rival;
}

static void dismiss(struct sweep *s, uint32_t member)
{
	s->f->stays[member] = false;
	leave(s, member);
}

/* False: nobody may leave. */
static bool dismiss_cheapest(struct sweep *s)
{
	uint64_t excess = excess_of(s);
	struct rival best = {.member = NONE}, other;

	for (uint32_t i = 0; i < s->n_alive; i++) {
		if (!would_help(s, s->alive[i]))
			continue;
		other = rival_of(s, s->alive[i], excess);
		if (best.member == NONE || by_cost(&other, &best) < 0)
			best = other;
	}
	s->f->a->work -= num_min(s->f->a->work, s->n_alive);
	if (best.member == NONE)
		return false;
	dismiss(s, best.member);
	return true;
}

static bool dismiss_sorted(struct sweep *s, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct rival *rivals = NEW(scratch, struct rival, s->n_alive);
	uint64_t excess = excess_of(s);
	uint32_t n = 0;

	if (!rivals)
		return false;
	for (uint32_t i = 0; i < s->n_alive; i++)
		if (s->swimmers[s->alive[i]].movable)
			rivals[n++] = rival_of(s, s->alive[i], excess);
	if (n > 0)
		qsort(rivals, n, sizeof(*rivals), by_cost);
	for (uint32_t i = 0; i < n && excess_of(s) > 0; i++)
		if (would_help(s, rivals[i].member))
			dismiss(s, rivals[i].member);
	mp_arena_rewind(scratch, mark);
	return true;
}

/* Without work left to choose, the newest go. */
static void dismiss_newest(struct sweep *s)
{
	for (uint32_t i = s->n_alive; i-- > 0 && excess_of(s) > 0;)
		if (s->swimmers[s->alive[i]].movable)
			dismiss(s, s->alive[i]);
}

static bool relieve(struct sweep *s, struct arena *scratch)
{
	if (s->f->a->work == 0)
		dismiss_newest(s);
	for (int i = 0; i < PICKS && excess_of(s) > 0; i++)
		if (!dismiss_cheapest(s))
			return true;
	if (excess_of(s) > 0 && !dismiss_sorted(s, scratch))
		return false;
	/* Of branches, another one may be the heaviest by now. */
	if (excess_of(s) > 0 && s->f->a->problem->choice)
		dismiss_newest(s);
	return true;
}

/* ------------------------------------------------------------ sweep */

struct event {
	uint32_t step, member;
};

static int by_step(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	return a->member < b->member ? -1 : a->member > b->member;
}

static uint32_t *sort_by_step(
	const struct sweep *s, bool ends, struct arena *scratch)
{
	uint32_t n = s->f->n, *sorted = NEW(scratch, uint32_t, n);
	struct event *events = NEW(scratch, struct event, n);

	if (!sorted || !events)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		events[i] = (struct event){
			ends ? s->swimmers[i].end : s->swimmers[i].start, i};
	if (n > 0)
		qsort(events, n, sizeof(*events), by_step);
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = events[i].member;
	return sorted;
}

static bool prepare(struct sweep *s, struct arena *scratch)
{
	struct filling *f = s->f;
	const struct memory_pool *pool = &f->a->problem->pools[f->pool];

	s->swimmers = NEW(scratch, struct swimmer, f->n);
	s->alive = NEW(scratch, uint32_t, f->n);
	s->place = NEW(scratch, uint32_t, f->n);
	if (!s->swimmers || !s->alive || !s->place)
		return false;
	for (uint32_t i = 0; i < f->n; i++) {
		const struct buffer *buffer =
			&f->a->problem->buffers[f->members[i]];

		s->place[i] = NONE;
		s->swimmers[i] = (struct swimmer){0,
			mp_pools_size(f->a->problem, pool, f->members[i]),
			buffer->start, buffer->end,
			mp_pools_fill_may_leave(f, i)};
	}
	if (f->a->problem->choice &&
		!mp_problem_branches_init(&s->loads, f->a->problem, scratch))
		return false;
	s->by_start = sort_by_step(s, false, scratch);
	s->by_end = sort_by_step(s, true, scratch);
	return s->by_start && s->by_end;
}

bool mp_pools_fill_sweep(struct filling *f, struct arena *scratch)
{
	struct sweep s = {.f = f};
	uint32_t i = 0, over = 0;

	if (!prepare(&s, scratch))
		return false;
	while (i < f->n) {
		uint32_t step = s.swimmers[s.by_start[i]].start;

		for (; s.swimmers[s.by_end[over]].end <= step; over++)
			leave(&s, s.by_end[over]);
		for (; i < f->n && s.swimmers[s.by_start[i]].start == step; i++)
			enter(&s, s.by_start[i]);
		if (excess_of(&s) > 0 && !relieve(&s, scratch))
			return false;
	}
	return true;
}
