/*
 * somas: the solver of MindSpore's SOMAS, for comparison. It is greedy: large
 * tensors first, of equal ones in order of birth; by the second sort, tensors
 * come first that may share the fewest bytes of the peak. Single object: one
 * address space, a tensor goes into a gap. Shared objects: the first tensor of
 * a footprint sets its size; a later tensor goes into the first footprint that
 * has a gap for it, if it does not conflict with the first tensor there, else
 * it opens a new footprint on top.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "planners/any/greedy.h"
#include "planners/peers/rows.h"

/* A footprint reaches up to where the next one starts. */
struct footprint {
	uint64_t start;
	uint32_t first; /* the buffer that opened it */
};

struct shared {
	struct job *job;
	const struct problem *problem;
	struct conflicts conflicts;
	struct footprint *footprints;
	uint32_t n;
	uint64_t top; /* of the last footprint */
	uint64_t work;
	bool over; /* the others get footprints of their own */
};

/* --------------------------------------------------- shared objects */

static bool do_conflict(const struct problem *p, uint32_t a, uint32_t b)
{
	const struct buffer *x = &p->buffers[a], *y = &p->buffers[b];

	if (!p->apart && (x->end <= y->start || y->end <= x->start))
		return false;
	for (uint32_t i = 0; i < x->n_parts; i++)
		for (uint32_t k = 0; k < y->n_parts; k++)
			if (mp_problem_conflict(
				    p, x->first_part + i, y->first_part + k))
				return true;
	return false;
}

/* Looks for a gap in footprint k. The forbidden bases were collected. */
static bool fits_footprint(struct shared *s, uint32_t k, uint32_t buffer,
	enum fit fit, uint64_t *offset)
{
	const struct buffer *b = &s->problem->buffers[buffer];
	uint64_t limit = k + 1 < s->n ? s->footprints[k + 1].start : s->top;
	struct range bases = {s->footprints[k].start, limit - b->size + 1};

	if (limit < b->size || bases.low >= bases.high ||
		do_conflict(s->problem, s->footprints[k].first, buffer))
		return false;
	return mp_planner_conflicts_find(
		&s->conflicts, bases, b->align, fit, offset);
}

static void open_footprint(struct shared *s, uint32_t buffer, uint64_t *offset)
{
	const struct buffer *b = &s->problem->buffers[buffer];

	assert(s->n < s->problem->n_buffers);
	*offset = num_up(s->top, b->align);
	s->footprints[s->n++] = (struct footprint){s->top, buffer};
	s->top = *offset + b->size;
}

static bool place_shared(
	struct shared *s, uint32_t buffer, enum fit fit, uint64_t *offset)
{
	if (!s->over && !mp_planner_conflicts_collect(&s->conflicts, buffer))
		return false;
	s->over = s->over ||
		  !mp_planner_greedy_goes_on(s->job,
			  4 + (s->n + s->conflicts.n_met) / 4, &s->work);
	for (uint32_t k = 0; !s->over && k < s->n; k++)
		if (fits_footprint(s, k, buffer, fit, offset))
			return true;
	open_footprint(s, buffer, offset);
	return true;
}

static bool fill_shared(struct job *job, const uint32_t *order, enum fit fit,
	uint64_t *offsets, uint64_t *height)
{
	struct shared s = {.job = job, .problem = job->problem};
	uint32_t n = job->problem->n_buffers;

	s.footprints = NEW(job->arena, struct footprint, n);
	if (!s.footprints || !mp_planner_conflicts_init(
				     &s.conflicts, job->problem, job->arena))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!place_shared(&s, order[i], fit, &offsets[order[i]]))
			return false;
		if (!s.over)
			mp_planner_conflicts_place(
				&s.conflicts, order[i], offsets[order[i]]);
	}
	*height = s.top;
	return true;
}

/* ------------------------------------------------------------- rows */

static bool place_all(
	struct job *job, int variant, uint64_t *offsets, uint64_t *height)
{
	static const enum rank_key by_size[RANK_KEYS] = {RANK_SIZE, RANK_START};
	static const enum rank_key by_shares[RANK_KEYS] = {
		RANK_PEAK, RANK_SIZE, RANK_START};
	enum fit fit = variant & SOMAS_LOWEST ? FIT_LOWEST : FIT_BEST;
	uint32_t *order = NEW(job->arena, uint32_t, job->problem->n_buffers);

	if (!order || !mp_planner_rank_buffers(job->problem,
			      variant & SOMAS_PEAK ? by_shares : by_size, order,
			      job->arena))
		return false;
	if (variant & SOMAS_SINGLE)
		return mp_planner_greedy_fill(
			job, order, fit, UINT64_MAX, offsets, height);
	return fill_shared(job, order, fit, offsets, height);
}

static enum outcome offer_plan(
	struct job *job, const uint64_t *offsets, uint64_t height)
{
	if (height == UINT64_MAX)
		return PLAN_GAVE_UP;
	if (!mp_planner_job_offer(job, offsets))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}

enum outcome mp_planner_somas_run(struct job *job, int variant)
{
	uint64_t *offsets = NEW(job->arena, uint64_t, job->problem->n_buffers);
	uint64_t height;

	assert(mp_planner_job_is_sound(job));
	assert(0 <= variant && variant < SOMAS_ROWS);
	if (!(variant & SOMAS_SINGLE) && mp_problem_has_fixed(job->problem))
		return mp_planner_job_decline(job, "takes no fixed offsets");
	if (!offsets || !place_all(job, variant, offsets, &height))
		return PLAN_FAILED;
	return offer_plan(job, offsets, height);
}

/* Finds the smallest plan of the rows [from, to), of equal ones the first; with
 * the rows of the second sort or without. */
static bool find_smallest(struct job *job, int from, int to, bool peak,
	uint64_t *offsets, uint64_t *height)
{
	uint64_t *trial = NEW(job->arena, uint64_t, job->problem->n_buffers);
	uint64_t trial_height;

	*height = UINT64_MAX;
	for (int row = from; trial && row < to; row++) {
		struct arena_mark mark = mp_arena_mark(job->arena);

		if ((row & SOMAS_PEAK) && !peak)
			continue;
		if (!place_all(job, row, trial, &trial_height))
			return false;
		mp_arena_rewind(job->arena, mark);
		if (trial_height >= *height)
			continue;
		*height = trial_height;
		memcpy(offsets, trial,
			sizeof(*trial) * job->problem->n_buffers);
	}
	return trial != NULL;
}

enum outcome mp_planner_somas_choose(struct job *job, int choice)
{
	uint32_t n = job->problem->n_buffers;
	uint64_t *shared = NEW(job->arena, uint64_t, n), shared_height;
	uint64_t *single = NEW(job->arena, uint64_t, n), single_height;
	bool peak = choice != SOMAS_CHOICE;
	/* Bytes that a single object must save before SOMAS takes it. */
	uint64_t bias = choice == SOMAS_LEAST ? 0 : UINT64_C(100) << 20;

	assert(mp_planner_job_is_sound(job));
	if (mp_problem_has_fixed(job->problem))
		return mp_planner_job_decline(job, "takes no fixed offsets");
	if (!shared || !single ||
		!find_smallest(
			job, 0, SOMAS_SINGLE, peak, shared, &shared_height) ||
		!find_smallest(job, SOMAS_SINGLE, SOMAS_ROWS, peak, single,
			&single_height))
		return PLAN_FAILED;
	if (single_height < shared_height &&
		shared_height - single_height > bias)
		return offer_plan(job, single, single_height);
	return offer_plan(job, shared, shared_height);
}
