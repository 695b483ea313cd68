/*
 * same-stream: buffers of different streams never share bytes, so that no
 * stream waits for another because of memory. That is the plain rule of
 * Ascend's graph engine, without the dependences between streams that it may
 * find. Every stream has a region of its own; the regions lie one behind the
 * other above the fixed buffers. Within a region the best of a few greedy rows
 * counts, so that the cost of separate streams is not mixed with the cost of a
 * greedy rule.
 *
 * A buffer belongs to the stream on which its first part is born.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "planners/any/greedy.h"
#include "planners/peers/rows.h"
#include "planners/rows.h"

static const enum greedy rows[] = {GREEDY_SIZE, GREEDY_SIZE_BEST,
	GREEDY_BREADTH_BEST, GREEDY_URGENCY, ONLINE_BEST};

/* The buffers of a stream that are not fixed. */
static uint32_t list_buffers(
	const struct problem *p, uint32_t stream, uint32_t *buffers)
{
	uint32_t n = 0, own;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		own = p->stream ? p->stream[p->buffers[i].first_part] : 0;
		if (p->buffers[i].offset == NO_OFFSET && own == stream)
			buffers[n++] = i;
	}
	return n;
}

/* Runs the rows on a region, at the expense of the whole job. */
static bool plan_region(struct job *job, struct job *own)
{
	own->height = UINT64_MAX;
	own->lower_bound = 0;
	own->capacity = UINT64_MAX;
	for (size_t i = 0; i < countof(rows); i++) {
		struct arena_mark mark = mp_arena_mark(job->arena);
		enum outcome outcome = mp_planner_greedy_run(own, (int)rows[i]);

		mp_arena_rewind(job->arena, mark);
		if (outcome == PLAN_FAILED)
			return false;
	}
	job->steps = own->steps;
	job->spent = own->spent;
	job->cut_short = own->cut_short;
	return true;
}

/* Places the region of a stream above *top, and raises that. */
static bool place_region(
	struct job *job, uint32_t stream, uint64_t *offsets, uint64_t *top)
{
	const struct problem *p = job->problem;
	struct job own = *job;
	struct problem region;
	uint32_t *buffers = NEW(job->arena, uint32_t, p->n_buffers), n;
	uint64_t align = 1, base;

	own.problem = &region;
	own.best = NEW(job->arena, uint64_t, p->n_buffers);
	if (!own.best || !buffers)
		return false;
	n = list_buffers(p, stream, buffers);
	if (n == 0)
		return true;
	if (!mp_problem_subproblem(p, buffers, n, p->alignment, &region,
		    job->arena, job->error))
		return false;
	/* Urgent is what lives at high loads of all streams together. */
	region.load = p->load;
	if (!plan_region(job, &own))
		return false;
	for (uint32_t i = 0; i < n; i++)
		align = num_max(align, region.buffers[i].align);
	base = num_up(*top, align);
	for (uint32_t i = 0; i < n; i++)
		offsets[buffers[i]] = base + own.best[i];
	assert(own.height != UINT64_MAX);
	*top = base + own.height;
	return true;
}

enum outcome mp_planner_same_stream_run(struct job *job, int variant)
{
	const struct problem *p = job->problem;
	uint64_t *offsets = NEW(job->arena, uint64_t, p->n_buffers), top;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (p->apart)
		return mp_planner_job_decline(job, "takes no pairs apart");
	if (!offsets)
		return PLAN_FAILED;
	top = mp_planner_take_fixed(p, offsets);
	for (uint32_t stream = 0; stream < num_max(p->n_streams, 1); stream++) {
		struct arena_mark mark = mp_arena_mark(job->arena);
		bool fine = place_region(job, stream, offsets, &top);

		mp_arena_rewind(job->arena, mark);
		if (!fine)
			return PLAN_FAILED;
	}
	if (!mp_planner_job_offer(job, offsets))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}
