/*
 * The state of a hill climb: the order at hand, the last good one, and placing
 * again from a turn on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/climb.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"

/* xorshift64* (Vigna, ACM TOMS 42(4), 2016): the same numbers everywhere. */
uint32_t mp_planner_climb_random(struct climb *c, uint32_t limit)
{
	assert(limit > 0 && c->random != 0);
	c->random ^= c->random >> 12;
	c->random ^= c->random << 25;
	c->random ^= c->random >> 27;
	return (uint32_t)((c->random * UINT64_C(0x2545f4914f6cdd1d)) >> 33) %
	       limit;
}

/* ---------------------------------------------------------- placing */

/* Placed in this order no buffer ends above where it is in the best plan. */
static bool order_by_offset(struct climb *c, const struct job *job)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint32_t n = c->problem->n_buffers;
	uint32_t *spare = NEW(job->arena, uint32_t, n);

	assert(job->height != UINT64_MAX);
	for (uint32_t i = 0; i < n; i++)
		c->order[i] = i;
	if (spare)
		mp_sort_radix(c->order, spare, n, job->best);
	mp_arena_rewind(job->arena, mark);
	return spare;
}

static bool find_order(
	struct climb *c, const struct job *job, const enum rank_key *keys)
{
	if (keys)
		return mp_planner_rank_buffers(
			c->problem, keys, c->order, job->arena);
	return order_by_offset(c, job);
}

bool mp_planner_climb_init(
	struct climb *c, struct job *job, const enum rank_key *keys)
{
	uint32_t n = job->problem->n_buffers;

	assert(mp_planner_job_is_sound(job));
	*c = (struct climb){.job = job, .problem = job->problem};
	c->random = (job->seed << 1 | 1) * UINT64_C(0x9e3779b97f4a7c15);
	c->order = NEW(job->arena, uint32_t, n);
	c->turn = NEW(job->arena, uint32_t, n);
	c->offsets = NEW(job->arena, uint64_t, n);
	c->kept = NEW(job->arena, uint64_t, n);
	if (!c->order || !c->turn || !c->offsets || !c->kept ||
		!find_order(c, job, keys) ||
		!mp_planner_greedy_fill(job, c->order, FIT_LOWEST, UINT64_MAX,
			c->kept, &c->height) ||
		!mp_planner_conflicts_init(
			&c->conflicts, c->problem, job->arena))
		return false;
	for (uint32_t i = 0; i < n; i++)
		c->turn[c->order[i]] = i;
	memcpy(c->offsets, c->kept, sizeof(*c->kept) * n);
	return mp_planner_job_offer(job, c->kept);
}

/* Places the buffers of the first turns at the offsets that they have. */
void mp_planner_climb_replay(struct climb *c, uint32_t turns)
{
	assert(turns <= c->problem->n_buffers);
	mp_planner_conflicts_clear(&c->conflicts);
	mp_planner_conflicts_place_fixed(&c->conflicts);
	for (uint32_t i = 0; i < turns; i++)
		if (c->problem->buffers[c->order[i]].offset == NO_OFFSET)
			mp_planner_conflicts_place(&c->conflicts, c->order[i],
				c->offsets[c->order[i]]);
}

uint64_t mp_planner_climb_top(const struct climb *c, uint32_t buffer)
{
	return c->offsets[buffer] + c->problem->buffers[buffer].size;
}

/* The height of the order at hand; UINT64_MAX if it is above the limit, the
 * budget is spent, or memory is out. */
static uint64_t place_from(struct climb *c, uint32_t from, uint64_t limit)
{
	uint64_t height;

	mp_planner_climb_replay(c, from);
	for (uint32_t i = from; i < c->problem->n_buffers; i++) {
		uint32_t buffer = c->order[i];

		if (c->problem->buffers[buffer].offset != NO_OFFSET)
			continue;
		c->failed = !mp_planner_conflicts_fit(
			&c->conflicts, buffer, FIT_LOWEST, &c->offsets[buffer]);
		if (c->failed ||
			!mp_planner_job_step(
				c->job, 4 + c->conflicts.n_met / 4) ||
			mp_planner_climb_top(c, buffer) > limit)
			return UINT64_MAX;
		mp_planner_conflicts_place(
			&c->conflicts, buffer, c->offsets[buffer]);
	}
	height = mp_plan_height(c->problem, c->offsets);
	return height > limit ? UINT64_MAX : height;
}

/* ------------------------------------------------------------ moves */

static void swap_turns(struct climb *c, struct swap swap)
{
	uint32_t a = c->turn[swap.a], b = c->turn[swap.b];

	c->order[a] = swap.b;
	c->order[b] = swap.a;
	c->turn[swap.a] = b;
	c->turn[swap.b] = a;
}

void mp_planner_climb_swap(struct climb *c, uint32_t a, uint32_t b)
{
	struct swap swap = {a, b};

	assert(c->n_swaps < CLIMB_SWAPS);
	c->swaps[c->n_swaps++] = swap;
	swap_turns(c, swap);
}

uint64_t mp_planner_climb_try(struct climb *c, uint64_t limit)
{
	uint32_t from = c->problem->n_buffers;

	for (uint32_t i = 0; i < c->n_swaps; i++) {
		if (c->turn[c->swaps[i].a] < from)
			from = c->turn[c->swaps[i].a];
		if (c->turn[c->swaps[i].b] < from)
			from = c->turn[c->swaps[i].b];
	}
	return place_from(c, from, limit);
}

enum outcome mp_planner_climb_on(struct climb *c, uint32_t attempts,
	mp_planner_climb_attempt *attempt, void *context)
{
	size_t bytes = sizeof(*c->kept) * c->problem->n_buffers;
	uint64_t height;

	for (uint32_t i = 0; i < attempts && !mp_planner_job_done(c->job);
		i++) {
		height = attempt(context, i);
		if (c->failed)
			return PLAN_FAILED;
		if (height == UINT64_MAX) {
			while (c->n_swaps > 0)
				swap_turns(c, c->swaps[--c->n_swaps]);
			memcpy(c->offsets, c->kept, bytes);
			if (!mp_planner_job_step(c->job, 1))
				break;
			continue;
		}
		assert(height == mp_plan_height(c->problem, c->offsets));
		c->height = height;
		c->n_swaps = 0;
		memcpy(c->kept, c->offsets, bytes);
		if (!mp_planner_job_offer(c->job, c->kept))
			return PLAN_FAILED;
	}
	return mp_planner_job_outcome(c->job);
}
