/*
 * settle: a plan of a simpler problem says what lies below what. Each buffer
 * becomes one block without an alignment, so that the rows for plain problems
 * take them; then all go, from the lowest to the highest, to the lowest place
 * that is free. What lies on what is hard to find, and alignments change little
 * of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/sort.h"
#include "planners/any/greedy.h"
#include "planners/rows.h"

/* What a buffer takes as it is, or where the next one is aligned alike. */
static uint64_t size_of(
	const struct problem *p, const struct buffer *b, bool padded)
{
	return num_up(b->size, padded ? b->align : p->alignment);
}

/* May the sizes be added up? */
static bool are_numbers(const struct problem *p, bool padded)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (!num_add(sum, size_of(p, &p->buffers[i], padded), &sum))
			return false;
	return true;
}

static bool make_problem(
	const struct job *job, bool padded, struct problem *blocks)
{
	const struct problem *p = job->problem;
	size_t n = p->n_buffers;

	*blocks = (struct problem){.name = p->name,
		.alignment = p->alignment,
		.n_steps = p->n_steps,
		.n_streams = 1,
		.buffers = NEW(job->arena, struct buffer, n),
		.parts = NEW(job->arena, struct part, n),
		.first_reserved = p->n_buffers};
	if (!blocks->buffers || !blocks->parts)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct buffer *b = &p->buffers[i];
		struct buffer block = {.size = size_of(p, b, padded),
			.align = p->alignment,
			.offset = NO_OFFSET,
			.start = b->start,
			.end = b->end};

		mp_planner_job_add_block(blocks, block);
	}
	return mp_problem_measure(blocks, job->arena, job->error);
}

/* False: memory is out, or a plan is wrong. */
static bool settle(struct job *job, const uint64_t *bases)
{
	uint32_t n = job->problem->n_buffers;
	uint32_t *order = NEW(job->arena, uint32_t, n);
	uint32_t *spare = NEW(job->arena, uint32_t, n);
	uint64_t *offsets = NEW(job->arena, uint64_t, n), height;

	if (!order || !spare || !offsets)
		return false;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	mp_sort_radix(order, spare, n, bases);
	return mp_planner_greedy_fill(
		       job, order, FIT_LOWEST, job->height, offsets, &height) &&
	       (height == UINT64_MAX || mp_planner_job_offer(job, offsets));
}

/* False: as above. */
static bool plan_blocks(struct job *job, bool padded, uint64_t steps)
{
	struct problem blocks;
	struct job own = *job;

	own.steps = steps;
	own.capacity = UINT64_MAX;
	return make_problem(job, padded, &blocks) &&
	       mp_planner_job_hand_on(
		       job, &blocks, mp_planner_auto_run, &own) &&
	       settle(job, own.best);
}

enum outcome mp_planner_settle_run(struct job *job, int variant)
{
	(void)variant;
	assert(mp_planner_job_is_sound(job));
	for (int padded = 0; padded < 2; padded++) {
		struct arena_mark mark = mp_arena_mark(job->arena);

		if (mp_planner_job_done(job) ||
			!are_numbers(job->problem, padded == 1) ||
			!mp_planner_job_step(job, job->problem->n_buffers))
			break;
		if (!plan_blocks(job, padded == 1,
			    padded ? job->steps : job->steps / 4 * 3))
			return PLAN_FAILED;
		mp_arena_rewind(job->arena, mark);
	}
	/* Without a budget there is to be a plan too. */
	if (job->height == UINT64_MAX)
		return mp_planner_greedy_run(job, GREEDY_SIZE);
	return mp_planner_job_outcome(job);
}
