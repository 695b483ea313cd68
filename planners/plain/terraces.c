/*
 * terraces: what is alive where the load is highest is placed first, then what
 * is alive where it is a little lower, and so on down to the ground. Each
 * terrace goes into the ranges that are free; what finds none below the limit
 * lies above all, and is mended before the next terrace comes. So few buffers
 * stick out at a time, and what lies about them has the room that all later
 * ones will take. The limit is the lower bound, until a terrace ends above it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>

#include "base/sort.h"
#include "planners/any/conflict.h"
#include "planners/plain/dive.h"
#include "planners/plain/mend.h"
#include "planners/plain/packing.h"

enum {
	SHARE = 4,  /* mending a terrace gets such a part of the steps left, */
	EACH = 100, /* and at first no more than so many a buffer */
	MET_A_STEP = 4, /* conflicts that are met in 100 ns */
	MANY = 100,	/* buffers that a pass looks at in 100 ns */
	THOUSAND = 1000
};

/* Heights of terraces, in thousandths of the bound, one attempt after the
 * other. Low ones leave less to mend at a time, high ones are placed better. */
static const uint32_t heights[] = {20, 10, 50, 5, 100};

struct builder {
	struct job *job;
	struct packing packing;
	struct conflicts conflicts; /* what is placed */
	uint64_t *load;	 /* of a buffer: the greatest while it is alive */
	uint32_t *order; /* buffers; terrace by terrace */
	uint32_t *placed, n_placed; /* ascending */
	bool *is_placed;
	uint64_t *offsets;
	uint64_t height; /* of what is placed */
	uint64_t limit;
	uint32_t attempt;
	uint32_t *space; /* room to sort */
	uint64_t *key;
};

/* ------------------------------------------------------------ order */

static void sort_by_load(struct builder *b)
{
	const struct packing *p = &b->packing;

	for (uint32_t i = 0; i < p->n_items; i++) {
		b->order[i] = i;
		b->load[p->buffer[i]] = (uint64_t)p->load[p->top[i]] * p->unit;
		b->key[p->buffer[i]] = UINT64_MAX - b->load[p->buffer[i]];
	}
	mp_sort_radix(b->order, b->space, p->n_items, b->key);
}

static uint64_t area_of(const struct buffer *buffer)
{
	uint32_t lifetime = buffer->end - buffer->start;

	return num_min(buffer->size, UINT64_MAX / UINT32_MAX) * lifetime;
}

/* The next terrace, the largest first. Returns where it ends. */
static uint32_t take_terrace(struct builder *b, uint32_t from, uint64_t height)
{
	uint64_t top = b->load[b->order[from]];
	uint32_t end = from;

	for (; end < b->packing.n_items; end++) {
		uint32_t buffer = b->order[end];

		if (top - b->load[buffer] > height)
			break;
		b->key[buffer] =
			UINT64_MAX - area_of(&b->job->problem->buffers[buffer]);
	}
	mp_sort_radix(b->order + from, b->space, end - from, b->key);
	return end;
}

/* ------------------------------------------------------------ place */

/* In the smallest range that is free below the limit, or above it. */
static bool place(struct builder *b, uint32_t buffer)
{
	const struct buffer *x = &b->job->problem->buffers[buffer];
	struct range below = {0, b->limit - x->size + 1};
	struct range all = {0, 2 * NUM_MAX_BYTES};
	uint64_t *offset = &b->offsets[buffer];

	assert(x->size <= b->limit);
	if (!mp_planner_conflicts_collect(&b->conflicts, buffer))
		return false;
	if (!mp_planner_conflicts_find(
		    &b->conflicts, below, x->align, FIT_BEST, offset) &&
		!mp_planner_conflicts_find(
			&b->conflicts, all, x->align, FIT_LOWEST, offset))
		assert(false && "there is room above all");
	mp_planner_conflicts_place(&b->conflicts, buffer, *offset);
	b->is_placed[buffer] = true;
	b->height = num_max(b->height, *offset + x->size);
	mp_planner_job_step(b->job, 4 + b->conflicts.n_met / MET_A_STEP);
	return true;
}

static void forget_all(struct builder *b)
{
	mp_planner_conflicts_clear(&b->conflicts);
	for (uint32_t i = 0; i < b->packing.n_items; i++)
		b->is_placed[i] = false;
	b->height = 0;
}

/* ------------------------------------------------------------- mend */

static void list_placed(struct builder *b)
{
	b->n_placed = 0;
	for (uint32_t i = 0; i < b->packing.n_items; i++)
		if (b->is_placed[i])
			b->placed[b->n_placed++] = i;
}

/* How long it takes has a heavy tail, so attempts are short at first. */
static uint64_t steps_to_mend(const struct builder *b)
{
	uint64_t doublings = num_min(b->attempt / countof(heights), 20);

	return ((uint64_t)EACH << doublings) * b->n_placed;
}

/* What is placed is a problem with a plan, of which own is the job. */
static bool mend_as(struct builder *b, struct problem *placed, struct job *own)
{
	struct job *job = b->job;

	list_placed(b);
	own->problem = placed;
	own->best = NEW(job->arena, uint64_t, b->n_placed);
	own->height = b->height;
	own->lower_bound = b->limit;
	own->capacity = UINT64_MAX;
	own->steps = num_min(job->steps / SHARE, steps_to_mend(b));
	own->seed = job->seed + b->attempt;
	own->spent = 0;
	own->kept = NULL;
	own->progress = NULL;
	if (!own->best || !mp_problem_subproblem(job->problem, b->placed,
				  b->n_placed, job->problem->alignment, placed,
				  job->arena, job->error))
		return false;
	for (uint32_t k = 0; k < b->n_placed; k++)
		own->best[k] = b->offsets[b->placed[k]];
	return mp_planner_mend_run(own, MEND_AT_ONCE) != PLAN_FAILED;
}

static bool mend(struct builder *b)
{
	struct arena_mark mark = mp_arena_mark(b->job->arena);
	struct job own = *b->job;
	struct problem placed;
	bool fine = mend_as(b, &placed, &own);

	if (fine) {
		mp_planner_conflicts_clear(&b->conflicts);
		for (uint32_t k = 0; k < b->n_placed; k++) {
			b->offsets[b->placed[k]] = own.best[k];
			mp_planner_conflicts_place(
				&b->conflicts, b->placed[k], own.best[k]);
		}
		b->height = own.height;
		b->job->cut_short |= own.cut_short;
		mp_planner_job_step(b->job, own.spent);
	}
	mp_arena_rewind(b->job->arena, mark);
	return fine;
}

/* ------------------------------------------------------------ build */

/* Places a terrace, which may be most of the problem; what has no budget left
 * places no more. False: memory is out. */
static bool place_terrace(struct builder *b, uint32_t *at, uint32_t end)
{
	for (; *at < end; ++*at) {
		if (!place(b, b->order[*at]))
			return false;
		if (b->job->steps == 0 || b->job->cut_short)
			return true;
	}
	return true;
}

/* Ends where a terrace is no lower than the best plan. */
static bool build(struct builder *b, uint64_t height)
{
	struct job *job = b->job;
	uint32_t n = b->packing.n_items, at = 0;

	forget_all(b);
	sort_by_load(b);
	b->limit = job->lower_bound;
	if (job->capacity != UINT64_MAX)
		b->limit = num_max(b->limit, job->capacity);
	while (at < n) {
		uint32_t end = take_terrace(b, at, height);

		if (!place_terrace(b, &at, end))
			return false;
		if (at < end)
			return true;
		if (b->height > b->limit && !mend(b))
			return false;
		b->limit = num_max(b->limit, b->height);
		if (b->limit >= job->height ||
			!mp_planner_job_step(job, n / MANY + 1))
			return true;
	}
	return mp_planner_job_offer(job, b->offsets);
}

/* -------------------------------------------------------------- row */

static bool builder_init(struct builder *b, struct job *job)
{
	struct arena *arena = job->arena;
	size_t n = job->problem->n_buffers;

	*b = (struct builder){.job = job};
	if (!mp_planner_packing_of(&b->packing, job, arena) ||
		!mp_planner_conflicts_init(&b->conflicts, job->problem, arena))
		return false;
	b->load = NEW(arena, uint64_t, n);
	b->order = NEW(arena, uint32_t, n);
	b->placed = NEW(arena, uint32_t, n);
	b->is_placed = NEW(arena, bool, n);
	b->offsets = NEW(arena, uint64_t, n);
	b->space = NEW(arena, uint32_t, n);
	b->key = NEW(arena, uint64_t, n);
	return b->load && b->order && b->placed && b->is_placed && b->offsets &&
	       b->space && b->key;
}

/* Is the load so even that most buffers are in the first terrace? */
static bool is_level(struct builder *b)
{
	uint64_t height = b->job->lower_bound / THOUSAND * heights[0];

	sort_by_load(b);
	return take_terrace(b, 0, height) > b->packing.n_items / 2;
}

/* Gives up where all attempts end far above the bound. */
static bool build_all(struct builder *b)
{
	struct job *job = b->job;
	uint64_t part = job->lower_bound / THOUSAND, before;
	uint32_t vain = 0;

	for (; !mp_planner_job_done(job) && mp_planner_job_step(job, 1) &&
		(vain < countof(heights) || mp_planner_job_near(job, 16));
		b->attempt++) {
		before = job->height;
		if (!build(b, part * heights[b->attempt % countof(heights)]))
			return false;
		vain = job->height < before ? 0 : vain + 1;
	}
	return true;
}

/* Where the number of the next attempt is, in case that the problem comes
 * again. NULL: memory is out. */
static uint32_t *find_attempt(struct job *job)
{
	uint32_t *attempt = job->kept ? *job->kept : NULL;

	if (!attempt)
		attempt = NEW(job->arena, uint32_t, 1);
	if (job->kept)
		*job->kept = attempt;
	return attempt;
}

static bool run(struct job *job, uint32_t *attempt)
{
	struct builder b;
	bool fine;

	if (!builder_init(&b, job))
		return false;
	b.attempt = *attempt;
	fine = is_level(&b) || build_all(&b);
	*attempt = b.attempt;
	return fine;
}

enum outcome mp_planner_terraces_run(struct job *job, int variant)
{
	enum outcome outcome;
	struct arena_mark mark;
	uint32_t *attempt;
	bool fine;

	(void)variant;
	if (!mp_planner_job_is_plain(job))
		return PLAN_GAVE_UP;
	if (!mp_planner_dive_first(job, &outcome))
		return outcome;
	attempt = find_attempt(job);
	mark = mp_arena_mark(job->arena);
	fine = attempt && run(job, attempt);
	mp_arena_rewind(job->arena, mark);
	return fine ? mp_planner_job_outcome(job) : PLAN_FAILED;
}
