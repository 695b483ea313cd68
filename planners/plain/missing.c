/*
 * missing: buffers that fill what is free. Where few bytes are free, and few
 * buffers of the right lifetimes would fill these at each step, such a problem
 * may have been cut out of a full one: some pieces are missing. With these put
 * in, turnover and jigsaw, which want no byte to be free, put it together
 * again. Any plan of all is one of the buffers that there are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

enum {
	LEAST_EACH = 16, /* buffers for each missing piece */
	MOST_OPEN = 64,	 /* pieces alive at one step */
	GLANCE = 200	 /* steps a buffer for turnover: most of what it puts
			    together takes it less */
};

struct piece {
	uint64_t size;
	uint32_t start, end;
};

struct missing {
	const struct problem *problem;
	struct piece *at;
	uint32_t n, most;
	uint64_t total; /* bytes of all, with those of the problem */
	uint32_t open[MOST_OPEN], n_open; /* of those */
};

/* ----------------------------------------------------------- pieces */

/* False: there are too many, or too many bytes. */
static bool begin_piece(struct missing *h, uint64_t size, uint32_t step)
{
	if (h->n == h->most || h->n_open == MOST_OPEN ||
		!num_add(h->total, size, &h->total))
		return false;
	h->at[h->n] = (struct piece){.size = size, .start = step};
	h->open[h->n_open++] = h->n++;
	return true;
}

/* Returns its bytes. */
static uint64_t end_piece(struct missing *h, uint32_t k, uint32_t step)
{
	struct piece *piece = &h->at[h->open[k]];

	piece->end = step;
	h->open[k] = h->open[--h->n_open];
	return piece->size;
}

static uint64_t size_of(const struct missing *h, uint32_t k)
{
	return h->at[h->open[k]].size;
}

/* The open one with so many bytes, or the smallest with more; n_open: all have
 * fewer. */
static uint32_t find_open(const struct missing *h, uint64_t size)
{
	uint32_t best = h->n_open;

	for (uint32_t k = 0; k < h->n_open; k++)
		if (size_of(h, k) >= size &&
			(best == h->n_open || size_of(h, k) < size_of(h, best)))
			best = k;
	return best;
}

/* So many bytes are free no more: one or two have ended, or a larger one has,
 * and a smaller one begins. False: there are none such. */
static bool end_pieces(struct missing *h, uint64_t bytes, uint32_t step)
{
	uint32_t k = find_open(h, bytes);
	uint64_t rest;

	if (k < h->n_open && size_of(h, k) == bytes) {
		end_piece(h, k, step);
		return true;
	}
	for (uint32_t a = 0; a < h->n_open; a++)
		for (uint32_t b = 0; b < a; b++)
			if (size_of(h, a) + size_of(h, b) == bytes) {
				end_piece(h, a, step);
				end_piece(h, b, step);
				return true;
			}
	if (k == h->n_open)
		return false;
	rest = end_piece(h, k, step) - bytes;
	return begin_piece(h, rest, step);
}

/* False: what is free is no few pieces. */
static bool find_pieces(struct missing *h)
{
	const struct problem *p = h->problem;
	uint64_t before = p->theoretical_min;
	bool few = true;

	for (uint32_t t = 0; few && t < p->n_steps; t++) {
		if (p->load[t] < before)
			few = begin_piece(h, before - p->load[t], t);
		else if (p->load[t] > before)
			few = end_pieces(h, p->load[t] - before, t);
		before = p->load[t];
	}
	while (few && h->n_open > 0)
		end_piece(h, h->n_open - 1, p->n_steps);
	return few;
}

/* ---------------------------------------------------------- problem */

/* The pieces come last. False: memory is out. */
static bool fill(const struct missing *h, struct job *job, struct problem *full)
{
	const struct problem *p = h->problem;
	size_t n = (size_t)p->n_buffers + h->n;

	*full = (struct problem){.name = p->name,
		.alignment = p->alignment,
		.n_steps = p->n_steps,
		.n_streams = p->n_streams,
		.buffers = NEW(job->arena, struct buffer, n),
		.parts = NEW(job->arena, struct part, n)};
	if (!full->buffers || !full->parts)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		mp_planner_job_add_block(full, p->buffers[i]);
	for (uint32_t k = 0; k < h->n; k++) {
		struct buffer buffer = p->buffers[0];

		buffer.size = h->at[k].size;
		buffer.start = h->at[k].start;
		buffer.end = h->at[k].end;
		mp_planner_job_add_block(full, buffer);
	}
	full->first_reserved = full->n_buffers;
	return mp_problem_measure(full, job->arena, job->error);
}

/* -------------------------------------------------------------- row */

/* Any plan to begin with, as jigsaw then gives up where much is left. */
static enum outcome plan_full(struct job *job, int variant)
{
	uint64_t steps = job->steps, spent = job->spent;

	job->steps = num_min(steps, (uint64_t)GLANCE * job->problem->n_buffers);
	if (mp_planner_linear_run(job, variant) == PLAN_FAILED ||
		mp_planner_turnover_run(job, variant) == PLAN_FAILED)
		return PLAN_FAILED;
	job->steps = steps - num_min(steps, job->spent - spent);
	if (mp_planner_job_done(job) || job->steps == 0 || job->cut_short)
		return mp_planner_job_outcome(job);
	return mp_planner_jigsaw_run(job, variant);
}

enum outcome mp_planner_missing_run(struct job *job, int variant)
{
	struct missing h = {.problem = job->problem,
		.most = job->problem->n_buffers / LEAST_EACH,
		.total = job->problem->total_size};
	struct problem full;
	struct job own = *job;

	(void)variant;
	if (!mp_planner_job_is_plain(job) || !job->problem->load)
		return PLAN_GAVE_UP;
	h.at = NEW(job->arena, struct piece, h.most);
	if (!h.at)
		return PLAN_FAILED;
	if (!find_pieces(&h) || h.n == 0)
		return mp_planner_job_decline(job,
			"takes problems in which few buffers would fill what "
			"is free");
	if (!fill(&h, job, &full) ||
		!mp_planner_job_hand_on(job, &full, plan_full, &own) ||
		!mp_planner_job_offer(job, own.best))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}
