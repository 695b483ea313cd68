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
#include <string.h>

#include "planners/any/greedy.h"
#include "planners/peers/rows.h"
#include "planners/rows.h"

/* The buffers of one stream, as a problem of their own. */
struct region {
	struct problem problem;
	uint32_t *buffer;		/* its index in the whole problem */
	uint32_t *stream, *born, *free; /* of a part */
	uint32_t *choice, *branch;	/* of a buffer */
};

static const enum greedy rows[] = {GREEDY_SIZE, GREEDY_SIZE_BEST,
	GREEDY_BREADTH_BEST, GREEDY_URGENCY, ONLINE_BEST};

static uint32_t stream_of(const struct problem *p, uint32_t buffer)
{
	return p->stream ? p->stream[p->buffers[buffer].first_part] : 0;
}

static bool make_room(
	struct region *region, const struct problem *p, struct arena *arena)
{
	struct problem *own = &region->problem;
	size_t cells = p->stream ? p->n_parts : 0;

	region->buffer = NEW(arena, uint32_t, p->n_buffers);
	own->buffers = NEW(arena, struct buffer, p->n_buffers);
	own->parts = NEW(arena, struct part, p->n_parts);
	region->stream = NEW(arena, uint32_t, cells);
	region->born = NEW(arena, uint32_t, cells);
	region->free = NEW(arena, uint32_t, cells * p->n_streams);
	region->choice = NEW(arena, uint32_t, p->choice ? p->n_buffers : 0);
	region->branch = NEW(arena, uint32_t, p->choice ? p->n_buffers : 0);
	if (p->choice) {
		own->choice = region->choice;
		own->branch = region->branch;
	}
	if (p->stream) {
		own->stream = region->stream;
		own->born = region->born;
		own->free = region->free;
	}
	return region->buffer && own->buffers && own->parts && region->stream &&
	       region->born && region->free && region->choice && region->branch;
}

static void add_part(
	struct region *region, const struct problem *p, uint32_t index)
{
	struct problem *own = &region->problem;
	uint32_t to = own->n_parts++, n = p->n_streams;

	own->parts[to] = p->parts[index];
	own->parts[to].buffer = own->n_buffers;
	if (!p->stream)
		return;
	region->stream[to] = p->stream[index];
	region->born[to] = p->born[index];
	memcpy(region->free + (size_t)to * n, p->free + (size_t)index * n,
		sizeof(*p->free) * n);
}

static void add_buffer(
	struct region *region, const struct problem *p, uint32_t index)
{
	const struct buffer *from = &p->buffers[index];
	struct problem *own = &region->problem;
	struct buffer *to = &own->buffers[own->n_buffers];

	*to = *from;
	to->first_part = own->n_parts;
	for (uint32_t i = 0; i < from->n_parts; i++)
		add_part(region, p, from->first_part + i);
	if (p->choice) {
		region->choice[own->n_buffers] = p->choice[index];
		region->branch[own->n_buffers] = p->branch[index];
	}
	region->buffer[own->n_buffers++] = index;
}

static bool region_init(struct region *region, const struct problem *p,
	uint32_t stream, struct arena *arena)
{
	region->problem = *p;
	region->problem.n_buffers = region->problem.n_parts = 0;
	if (!make_room(region, p, arena))
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (p->buffers[i].offset == NO_OFFSET &&
			stream_of(p, i) == stream)
			add_buffer(region, p, i);
	return true;
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
	struct region region;
	uint64_t align = 1, base;

	own.problem = &region.problem;
	own.best = NEW(job->arena, uint64_t, p->n_buffers);
	if (!own.best || !region_init(&region, p, stream, job->arena))
		return false;
	if (region.problem.n_buffers == 0)
		return true;
	if (!plan_region(job, &own))
		return false;
	for (uint32_t i = 0; i < region.problem.n_buffers; i++)
		align = num_max(align, region.problem.buffers[i].align);
	base = num_up(*top, align);
	for (uint32_t i = 0; i < region.problem.n_buffers; i++)
		offsets[region.buffer[i]] = base + own.best[i];
	assert(own.height != UINT64_MAX);
	*top = base + own.height;
	return true;
}

static uint64_t take_fixed(const struct problem *p, uint64_t *offsets)
{
	uint64_t top = 0;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		if (p->buffers[i].offset == NO_OFFSET)
			continue;
		offsets[i] = p->buffers[i].offset;
		top = num_max(top, offsets[i] + p->buffers[i].size);
	}
	return top;
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
	top = take_fixed(p, offsets);
	for (uint32_t stream = 0; stream < num_max(p->n_streams, 1); stream++) {
		struct arena_mark mark = mp_arena_mark(job->arena);
		bool fine = place_region(job, stream, offsets, &top);

		mp_arena_rewind(job->arena, mark);
		if (!fine)
			return PLAN_FAILED;
	}
	if (!mp_planner_job_offer(job, offsets))
		return PLAN_FAILED;
	return mp_planner_job_done(job) ? PLAN_OPTIMAL : PLAN_FOUND;
}
