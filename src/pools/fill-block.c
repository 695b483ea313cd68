/*
 * One block of memory is filled. First a sweep over the steps lets the cheapest
 * leave where more is alive than there is room; then a planner places the rest.
 * Who sticks out leaves too; last, those that left are put into gaps that they
 * fit, the most expensive first.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pools/gap.h"

#include <stdlib.h>

#include "problem/bound.h"
#include "problem/subproblem.h"

static const struct buffer *buffer_of(const struct filling *f, uint32_t member)
{
	return &f->a->problem->buffers[f->members[member]];
}

static uint64_t size_of(const struct filling *f, uint32_t member)
{
	const struct problem *p = f->a->problem;

	return mp_pools_size(p, &p->pools[f->pool], f->members[member]);
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return num_mul(a, b, &product) ? product : UINT64_MAX;
}

bool mp_pools_fill_may_leave(const struct filling *f, uint32_t member)
{
	uint32_t buffer = f->members[member];

	return !f->a->settled && buffer_of(f, member)->offset == NO_OFFSET &&
	       (f->blocks || mp_pools_assign_next(f->a, buffer,
				     f->a->rank[buffer] + 1) != NONE);
}

/* ------------------------------------------------------------ place */

static uint32_t list_staying(const struct filling *f, uint32_t *buffers)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n; i++)
		if (f->stays[i])
			buffers[n++] = f->members[i];
	return n;
}

static void claim(const struct filling *f, struct problem *sub)
{
	const struct problem *p = f->a->problem;

	if (!p->pool_claims)
		return;
	sub->claimed_bound = p->pool_claims[f->pool].lower_bound;
}

static void keep_offsets(struct filling *f, const struct job *job)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n; i++)
		if (f->stays[i])
			f->offsets[i] = job->best[n++];
}

/* Plans those who stay. */
static bool place(struct filling *f, uint64_t capacity, struct arena *scratch)
{
	uint32_t *buffers = NEW(scratch, uint32_t, f->n), n;
	struct problem sub;
	struct job job;

	if (!buffers)
		return false;
	n = list_staying(f, buffers);
	f->fits = true;
	f->space.lower_bound = 0;
	if (n == 0)
		return true;
	if (!mp_problem_subproblem(f->a->problem, buffers, n, f->alignment,
		    &sub, scratch, f->a->error))
		return false;
	claim(f, &sub);
	if (!f->a->plan(f->a->context, &sub, capacity, &job))
		return false;
	f->a->cut_short |= job.cut_short;
	f->fits = job.height <= f->capacity && job.height != UINT64_MAX;
	f->space.size = job.height;
	f->space.theoretical_min = sub.theoretical_min;
	f->space.lower_bound = job.lower_bound;
	f->space.bound_kind = job.bound_kind;
	f->space.bound_steps = job.bound_steps;
	f->space.planner = job.winner;
	if (job.height != UINT64_MAX)
		keep_offsets(f, &job);
	return true;
}

static bool sticks_out(const struct filling *f, uint32_t member)
{
	return f->space.size == UINT64_MAX ||
	       f->offsets[member] + size_of(f, member) > f->capacity;
}

/* False: one that sticks out cannot leave. */
static bool cut_off(struct filling *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->stays[i] && sticks_out(f, i) &&
			!mp_pools_fill_may_leave(f, i))
			return false;
	for (uint32_t i = 0; i < f->n; i++)
		if (f->stays[i] && sticks_out(f, i))
			f->stays[i] = false;
	f->fits = true;
	f->space.lower_bound = 0; /* it was one for all of them */
	return true;
}

/* Only those who cannot leave: the others come back as far as they fit. */
static bool place_bound(struct filling *f, struct arena *scratch)
{
	for (uint32_t i = 0; i < f->n; i++)
		f->stays[i] = !mp_pools_fill_may_leave(f, i);
	return place(f, f->capacity, scratch);
}

/* ------------------------------------------------------------- gaps */

struct leaver {
	uint64_t value;
	uint32_t member;
};

static int by_value(const void *left, const void *right)
{
	const struct leaver *a = left, *b = right;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return a->member < b->member ? -1 : a->member > b->member;
}

static uint32_t list_leavers(const struct filling *f, struct leaver *leavers)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n; i++) {
		uint64_t uses = f->a->uses[f->members[i]];

		if (f->stays[i])
			continue;
		leavers[n].member = i;
		leavers[n++].value = times(f->blocks ? 1 : uses, size_of(f, i));
	}
	if (n > 0)
		qsort(leavers, n, sizeof(*leavers), by_value);
	return n;
}

static bool put_back(struct filling *f, struct arena *scratch)
{
	struct leaver *leavers = NEW(scratch, struct leaver, f->n);
	struct gaps gaps;
	uint64_t offset;
	uint32_t n;

	if (!leavers || !mp_pools_gaps_init(&gaps, f, scratch))
		return false;
	n = list_leavers(f, leavers);
	for (uint32_t i = 0; i < n && f->a->work > 0; i++) {
		uint32_t member = leavers[i].member;

		if (!mp_pools_gaps_find(&gaps, member, &offset))
			return false;
		if (offset == NO_OFFSET)
			continue;
		f->stays[member] = true;
		f->offsets[member] = offset;
		if (!mp_pools_gaps_add(&gaps, member))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------ block */

/* A bound on fewer buffers is one on all. */
/* The pool's size, and the alignment that its base needs. */
static void measure_size(struct filling *f)
{
	struct space *space = &f->space;

	space->size = 0;
	space->base_alignment =
		num_max(f->alignment, f->a->problem->margins.base);
	for (uint32_t i = 0; i < f->n; i++) {
		if (!f->stays[i])
			continue;
		space->size =
			num_max(space->size, f->offsets[i] + size_of(f, i));
		space->base_alignment =
			num_max(space->base_alignment, buffer_of(f, i)->align);
	}
}

static bool measure(struct filling *f, struct arena *scratch)
{
	uint32_t *buffers = NEW(scratch, uint32_t, f->n);
	struct space *space = &f->space;
	struct problem sub;
	enum bound_kind kind;
	uint64_t bound;

	if (!buffers)
		return false;
	space->n_buffers = list_staying(f, buffers);
	if (!mp_problem_subproblem(f->a->problem, buffers, space->n_buffers,
		    f->alignment, &sub, scratch, f->a->error) ||
		!mp_problem_bound(&sub, &bound, &kind, scratch))
		return false;
	space->theoretical_min = sub.theoretical_min;
	if (bound >= space->lower_bound) {
		space->lower_bound = bound;
		space->bound_kind = kind;
		space->bound_steps = 0;
	}
	measure_size(f);
	space->lower_bound = num_min(space->lower_bound, space->size);
	return true;
}

static bool find_room(struct filling *f, struct arena *scratch)
{
	for (uint32_t i = 0; i < f->n; i++)
		f->stays[i] = true;
	if (f->capacity != NO_CAPACITY && !mp_pools_fill_sweep(f, scratch))
		return false;
	if (!place(f, f->capacity, scratch))
		return false;
	return f->fits || cut_off(f) || place_bound(f, scratch);
}

bool mp_pools_fill(struct filling *f, struct arena *scratch)
{
	f->stays = NEW(scratch, bool, f->n);
	f->offsets = NEW(scratch, uint64_t, f->n);
	if (!f->stays || !f->offsets || !find_room(f, scratch))
		return false;
	if (!f->fits)
		return true;
	return (f->capacity == NO_CAPACITY || put_back(f, scratch)) &&
	       measure(f, scratch);
}
