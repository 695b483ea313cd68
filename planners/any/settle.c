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
#include <string.h>

#include "base/sort.h"
#include "planners/ahead.h"
#include "planners/any/greedy.h"
#include "planners/rows.h"

/* What a buffer takes as it is, or where the next one is aligned alike. A
 * reserved range may be aligned less than the blocks are. */
static uint64_t size_of(
	const struct problem *p, const struct buffer *b, bool padded)
{
	uint64_t align =
		padded ? num_max(b->align, p->alignment) : p->alignment;

	return num_up(b->size, align);
}

/* True if the sum of the sizes is in range, so that any height is. */
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

/* A plan of one of the simpler problems. */
struct way {
	uint64_t *bases, height;
	bool ended; /* no steps were left, or the sizes are out of range */
};

/* What the first finds ends the second only where no lower plan is wanted, so
 * that is run ahead. */
struct ways {
	struct job *job;
	uint64_t steps;	 /* of both */
	uint64_t height; /* before both */
	uint32_t done;
	struct way at[2];
};

/* The first has most of the steps; the rest is to settle both. */
static uint64_t share_of(const struct ways *ways, bool padded)
{
	return ways->steps / 8 * (padded ? 1 : 6);
}

/* Goes on from bases of the blocks. False: memory is out. */
static bool settle(struct job *job, struct way *way, uint64_t limit)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint32_t n = job->problem->n_buffers;
	uint32_t *order = NEW(job->arena, uint32_t, n);
	uint32_t *spare = NEW(job->arena, uint32_t, n);
	bool fine = order && spare;

	for (uint32_t i = 0; fine && i < n; i++)
		order[i] = i;
	if (fine) {
		mp_sort_radix(order, spare, n, way->bases);
		fine = mp_planner_greedy_fill(job, order, FIT_LOWEST, limit,
			way->bases, &way->height);
	}
	mp_arena_rewind(job->arena, mark);
	return fine;
}

/* What the rows spend for nothing is not counted, as it would leave the second
 * none. False: memory is out. */
static bool plan_blocks(
	struct job *job, bool padded, uint64_t steps, struct way *way)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	struct problem blocks;
	struct job all = *job, own = *job;
	bool fine;

	own.steps = steps = num_min(steps, job->steps);
	own.capacity = UINT64_MAX;
	fine = make_problem(job, padded, &blocks) &&
	       mp_planner_job_hand_on(&all, &blocks, mp_planner_auto_run, &own);
	job->cut_short |= own.cut_short;
	job->starved |= all.starved;
	mp_planner_job_step(job, num_min(own.spent, steps));
	if (fine)
		memcpy(way->bases, own.best,
			sizeof(*own.best) * blocks.n_buffers);
	mp_arena_rewind(job->arena, mark);
	return fine;
}

static bool is_enough(const struct job *job, uint64_t height)
{
	return height <= job->lower_bound ||
	       (job->capacity != UINT64_MAX && height <= job->capacity);
}

static enum pass_end run_way(void *context, struct pass *pass, struct job *job)
{
	struct ways *ways = context;
	uint32_t k = ways->done + pass->index, n = job->problem->n_buffers;
	uint64_t steps = share_of(ways, k == 1);
	struct way *way = &ways->at[k];

	if (!way->bases)
		way->bases = NEW(job->arena, uint64_t, n);
	if (!way->bases)
		return PASS_FAILED;
	pass->need = steps + n;
	way->height = UINT64_MAX;
	way->ended = !are_numbers(job->problem, k == 1) ||
		     !mp_planner_job_step(job, n);
	if (way->ended)
		return PASS_OTHERWISE;
	if (!plan_blocks(job, k == 1, steps, way) ||
		!settle(job, way, ways->height))
		return PASS_FAILED;
	return is_enough(job, way->height) ? PASS_OTHERWISE : PASS_AS_EXPECTED;
}

static bool take_way(void *context, const struct pass *pass)
{
	struct ways *ways = context;
	struct way *way = &ways->at[ways->done++];

	(void)pass;
	if (way->ended) {
		ways->done = (uint32_t)countof(ways->at);
		return true;
	}
	return way->height == UINT64_MAX ||
	       mp_planner_job_offer(ways->job, way->bases);
}

enum outcome mp_planner_settle_run(struct job *job, int variant)
{
	static const struct ahead_row row = {.run = run_way, .take = take_way};
	uint64_t n = job->problem->n_buffers;
	struct ways ways = {.job = job,
		.steps = job->steps - num_min(job->steps, n),
		.height = job->height};
	struct ahead *ahead;
	bool fine = true;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	ahead = mp_planner_ahead_open(job, &row, &ways);
	if (!ahead)
		return PLAN_FAILED;
	while (fine && ways.done < countof(ways.at) &&
		!mp_planner_job_done(job))
		fine = mp_planner_ahead_run(
			ahead, (uint32_t)countof(ways.at) - ways.done);
	mp_planner_ahead_close(ahead);
	if (!fine)
		return PLAN_FAILED;
	/* Without a budget there is to be a plan too. */
	if (job->height == UINT64_MAX)
		return mp_planner_greedy_run(job, GREEDY_SIZE);
	return mp_planner_job_outcome(job);
}
