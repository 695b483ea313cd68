/*
 * Fills one block of memory. A sweep over the steps evicts the cheapest members
 * while the load exceeds the capacity; then a planner places the others.
 * Members that end above the capacity leave too. Last, members that left are
 * put into free ranges, the most expensive first.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/sort.h"
#include "planners/any/conflict.h"
#include "pools/pools.h"
#include "problem/bound.h"

static const struct buffer *buffer_of(const struct filling *f, uint32_t member)
{
	return &f->a->problem->buffers[f->members[member]];
}

static uint64_t size_of(const struct filling *f, uint32_t member)
{
	const struct problem *p = f->a->problem;

	return mp_pools_size(p, &p->pools[f->pool], f->members[member]);
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	uint64_t product;

	return num_mul(a, b, &product) ? product : UINT64_MAX;
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

static void keep_offsets(struct filling *f, const struct job *job)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n; i++)
		if (f->stays[i])
			f->offsets[i] = job->best[n++];
}

/* Plans the members that stay. */
static bool plan_staying(
	struct filling *f, uint64_t capacity, struct arena *scratch)
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
	assert(job.height >= sub.theoretical_min);
	if (job.height != UINT64_MAX)
		keep_offsets(f, &job);
	return true;
}

static bool sticks_out(const struct filling *f, uint32_t member)
{
	return f->space.size == UINT64_MAX ||
	       f->offsets[member] + size_of(f, member) > f->capacity;
}

/* Evicts the members that end above the capacity. False: one of them may not
 * leave. */
static bool remove_sticking_out(struct filling *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->stays[i] && sticks_out(f, i) &&
			!mp_pools_fill_may_leave(f, i))
			return false;
	for (uint32_t i = 0; i < f->n; i++)
		if (f->stays[i] && sticks_out(f, i))
			f->stays[i] = false;
	f->fits = true;
	f->space.lower_bound = 0; /* a lower bound on all members */
	return true;
}

/* Plans only the members that may not leave, then adds others while they fit.
 */
static bool plan_bound(struct filling *f, struct arena *scratch)
{
	for (uint32_t i = 0; i < f->n; i++)
		f->stays[i] = !mp_pools_fill_may_leave(f, i);
	return plan_staying(f, f->capacity, scratch);
}

/* ------------------------------------------------------------- gaps */

/* The members that have left, the most valuable first. */
static uint32_t *list_leavers(
	const struct filling *f, uint32_t *n, struct arena *scratch)
{
	uint32_t *leavers = NEW(scratch, uint32_t, f->n);
	uint32_t *space = NEW(scratch, uint32_t, f->n);
	uint64_t *key = NEW(scratch, uint64_t, f->n);

	*n = 0;
	if (!leavers || !space || !key)
		return NULL;
	for (uint32_t i = 0; i < f->n; i++) {
		uint64_t uses = f->a->uses[f->members[i]];

		key[i] = ~multiply(f->blocks ? 1 : uses, size_of(f, i));
		if (!f->stays[i])
			leavers[(*n)++] = i;
	}
	mp_sort_radix(leavers, space, *n, key);
	return leavers;
}

/* The problem with the sizes that buffers have in this pool. Only what the
 * conflict index reads differs, so loads and bounds are not computed. */
static bool round_sizes(
	const struct filling *f, struct problem *rounded, struct arena *scratch)
{
	const struct problem *p = f->a->problem;

	*rounded = *p;
	rounded->parts = NEW(scratch, struct part, p->n_parts);
	for (uint32_t i = 0; rounded->parts && i < p->n_parts; i++) {
		rounded->parts[i] = p->parts[i];
		rounded->parts[i].size =
			mp_problem_subproblem_size(p, i, f->alignment);
	}
	return rounded->parts != NULL;
}

static void place_staying(const struct filling *f, struct conflicts *placed)
{
	mp_planner_conflicts_clear(placed);
	for (uint32_t i = 0; i < f->n; i++)
		if (f->stays[i])
			mp_planner_conflicts_place(
				placed, f->members[i], f->offsets[i]);
}

/* Puts a member at the lowest offset within the capacity, if there is one.
 * False: memory is out. */
static bool put_into_gap(
	struct filling *f, struct conflicts *placed, uint32_t member)
{
	const struct buffer *buffer = buffer_of(f, member);
	uint64_t size = num_up(buffer->size, f->alignment);
	uint64_t align = num_max(buffer->align, f->alignment);
	struct range bases = {0, f->capacity - num_min(size, f->capacity) + 1};

	assert(!f->stays[member] && buffer->offset == NO_OFFSET);
	if (size > f->capacity)
		return true;
	if (!mp_planner_conflicts_collect(placed, f->members[member]))
		return false;
	f->a->work -= num_min(f->a->work, 1 + placed->n_met);
	if (!mp_planner_conflicts_find(
		    placed, bases, align, FIT_LOWEST, &f->offsets[member]))
		return true;
	f->stays[member] = true;
	mp_planner_conflicts_place(
		placed, f->members[member], f->offsets[member]);
	return true;
}

static bool put_back(struct filling *f, struct arena *scratch)
{
	struct conflicts placed;
	struct problem rounded;
	uint32_t n, *leavers = list_leavers(f, &n, scratch);

	if (!leavers)
		return false;
	if (n == 0 || f->a->work == 0)
		return true;
	if (!round_sizes(f, &rounded, scratch) ||
		!mp_planner_conflicts_init(&placed, &rounded, scratch))
		return false;
	place_staying(f, &placed);
	for (uint32_t i = 0; i < n && f->a->work > 0; i++)
		if (!put_into_gap(f, &placed, leavers[i]))
			return false;
	return true;
}

/* ------------------------------------------------------------ block */

/* The size of the block, and the alignment that its base needs. */
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

/* A lower bound on fewer buffers is also one on all of them. */
static bool measure_space(struct filling *f, struct arena *scratch)
{
	uint32_t *buffers = NEW(scratch, uint32_t, f->n);
	struct space *space = &f->space;
	struct problem sub;
	struct lower_bound bound;

	if (!buffers)
		return false;
	space->n_buffers = list_staying(f, buffers);
	if (!mp_problem_subproblem(f->a->problem, buffers, space->n_buffers,
		    f->alignment, &sub, scratch, f->a->error) ||
		!mp_problem_bound(&sub, &bound, f->a->arena))
		return false;
	space->theoretical_min = sub.theoretical_min;
	if (bound.bytes >= space->lower_bound) {
		space->lower_bound = bound.bytes;
		space->bound_kind = bound.kind;
		space->bound_steps = 0;
		space->clique = bound.clique.tensors;
	}
	measure_size(f);
	assert(bound.bytes <= space->size);
	space->lower_bound = num_min(space->lower_bound, space->size);
	return true;
}

static bool find_room(struct filling *f, struct arena *scratch)
{
	for (uint32_t i = 0; i < f->n; i++)
		f->stays[i] = true;
	if (f->capacity != NO_CAPACITY && !mp_pools_evict(f, scratch))
		return false;
	if (!plan_staying(f, f->capacity, scratch))
		return false;
	return f->fits || remove_sticking_out(f) || plan_bound(f, scratch);
}

bool mp_pools_fill(struct filling *f, struct arena *scratch)
{
	assert(num_is_pow2(f->alignment) &&
		f->alignment >= f->a->problem->alignment);
	f->stays = NEW(scratch, bool, f->n);
	f->offsets = NEW(scratch, uint64_t, f->n);
	if (!f->stays || !f->offsets || !find_room(f, scratch))
		return false;
	if (!f->fits)
		return true;
	return (f->capacity == NO_CAPACITY || put_back(f, scratch)) &&
	       measure_space(f, scratch);
}
