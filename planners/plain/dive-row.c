/*
 * dive: greedy skyline packing, the lowest segment first and on it the buffer
 * of the best rank (see dive.h), repeated with several ranks. Each repetition
 * has the best height so far as its target; the first that reaches the load
 * ends the row.
 *
 * Most repetitions fail, so they are run ahead.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>

#include "planners/ahead.h"
#include "planners/plain/dive.h"

enum {
	MANY_BUFFERS = 100000,
	MOST_AHEAD = 4000000 /* buffers: the dives of more run one by one, as
				each takes some 28 bytes a buffer */
};

/* The best one alone comes first: docs/planners-tried.md. */
static const enum rank_key ranks[][RANK_KEYS] = {
	{RANK_PRESSURE, RANK_SECTIONS, RANK_LIFETIME},
	{RANK_PRESSURE, RANK_AREA, RANK_LIFETIME},
	{RANK_PRESSURE, RANK_SIZE, RANK_START},
	{RANK_AREA, RANK_LIFETIME, RANK_PRESSURE},
	{RANK_SIZE, RANK_PRESSURE, RANK_AREA},
	{RANK_PRESSURE, RANK_SIZE, RANK_LIFETIME},
	{RANK_PRESSURE, RANK_LIFETIME, RANK_AREA},
	{RANK_LIFETIME, RANK_AREA, RANK_PRESSURE},
	{RANK_SECTIONS, RANK_SIZE, RANK_START},
	{RANK_LIFETIME, RANK_SIZE, RANK_PRESSURE},
	{RANK_SIZE, RANK_START},
	{RANK_SECTIONS, RANK_CONFLICTS, RANK_PRESSURE},
};

/* Rank 0 does best on traces of very many buffers, but looks at each of them
 * several times as often as the others do. With fewer buffers that time is
 * better spent on more ranks. */
static uint32_t first_rank(const struct job *job)
{
	return job->problem->n_buffers > MANY_BUFFERS ? 0 : 1;
}

/* The first dive runs to its end whatever the budget, so that there is a plan
 * that is not far above the bound; only an interrupt ends it. */
static bool run_dive(struct job *job, struct dive *dive, bool first)
{
	uint64_t steps = job->steps, spent = job->spent;
	bool complete;

	if (first && !mp_planner_job_near(job, 64))
		job->steps = UINT64_MAX;
	if (job->height != UINT64_MAX)
		dive->target =
			(int64_t)((job->height - 1) / dive->packing->unit);
	complete = mp_planner_dive(dive, job);
	job->steps = steps - num_min(steps, job->spent - spent);
	return complete;
}

/* ------------------------------------------------------------ ranks */

/* What a slot has: the dive stays for the next repetition. */
struct diver {
	struct dive dive;
	bool has_dive;
	struct arena *arena;
	struct arena_mark mark; /* the dive is behind it */
	int64_t *offsets;
};

struct dives {
	struct job *job;
	const struct packing *packing; /* of all repetitions */
	struct dive_start *start;      /* of the first of them; or NULL */
	struct ahead *ahead;
	uint32_t rank; /* the next */
	struct diver divers[AHEAD_SLOTS];
};

static bool make_diver(void *context, uint32_t slot, struct arena *arena)
{
	struct dives *d = context;
	struct diver *diver = &d->divers[slot];

	if (slot == 0 && d->start) {
		*diver = (struct diver){.dive = d->start->dive,
			.has_dive = true,
			.arena = &d->start->arena,
			.mark = d->start->mark,
			.offsets = d->start->dive.offset};
		return true;
	}
	diver->arena = arena;
	diver->offsets = NEW(arena, int64_t, d->packing->n_items);
	return diver->offsets != NULL;
}

static void drop_dive(struct diver *diver)
{
	if (diver->has_dive)
		mp_arena_rewind(diver->arena, diver->mark);
	diver->has_dive = false;
}

/* False: memory is out. */
static bool rank_dive(struct diver *diver, const struct packing *packing,
	const enum rank_key keys[RANK_KEYS])
{
	struct arena *arena = diver->arena;

	if (diver->has_dive) {
		mp_planner_dive_rank(&diver->dive, keys, arena->threads);
		return true;
	}
	diver->mark = mp_arena_mark(arena);
	diver->has_dive = true;
	if (mp_planner_dive_init(
		    &diver->dive, packing, keys, diver->offsets, arena) &&
		mp_planner_dive_in_halves(&diver->dive, arena))
		return true;
	drop_dive(diver);
	return false;
}

/* What ran ahead counts if there is no plan yet: then it is the same dive. */
static bool run_first(
	const struct dive_start *start, struct dive *dive, struct job *job)
{
	if (!start->has_run || job->height != UINT64_MAX)
		return run_dive(job, dive, true);
	assert(!atomic_load(&start->beaten.is));
	mp_planner_job_step(job, start->job.spent);
	job->cut_short |= start->job.cut_short;
	return start->complete;
}

static enum pass_end run_rank(void *context, struct pass *pass, struct job *job)
{
	struct dives *d = context;
	struct diver *diver = &d->divers[pass->slot];
	uint32_t rank = d->rank + pass->index;
	bool complete;

	if (pass->index == 0 && d->start) {
		complete = run_first(d->start, &diver->dive, job);
	} else {
		if (!rank_dive(diver, d->packing, ranks[rank]))
			return PASS_FAILED;
		complete = run_dive(job, &diver->dive, rank == first_rank(job));
	}
	return complete ? PASS_OTHERWISE : PASS_AS_EXPECTED;
}

/* Hands in the plan of a complete dive. In the arena of the job the verifier
 * has the memory of the dive. What was made ready elsewhere gives its memory
 * back, and the next dive has that of the verifier. */
static bool take_rank(void *context, const struct pass *pass)
{
	struct dives *d = context;
	struct diver *diver = &d->divers[pass->slot];

	d->start = NULL;
	d->rank++;
	if (pass->end == PASS_AS_EXPECTED)
		return true;
	if (pass->slot == 0) {
		drop_dive(diver);
		if (diver->arena != d->job->arena)
			mp_arena_trim(diver->arena);
		diver->arena = d->job->arena;
	}
	return mp_planner_dive_offer(&diver->dive, d->job);
}

/* How many repetitions may follow at once. The first nearly always finds a
 * plan, so none is run ahead of it. Nor is one behind one that has found a plan
 * if two threads can share the halves of the next instead: plans come one after
 * the other. Where one has failed most others do. */
static uint32_t in_chain(const struct dives *d, bool found)
{
	if (d->rank == first_rank(d->job) || d->packing->n_items > MOST_AHEAD ||
		(found && d->divers[0].dive.in_halves &&
			mp_threads_for(d->job->threads, 3) == 2))
		return 1;
	return (uint32_t)countof(ranks) - d->rank;
}

static enum outcome run_in_turn(struct dives *d)
{
	static const struct ahead_row row = {
		.make = make_diver, .run = run_rank, .take = take_rank};
	struct job *job = d->job;
	uint32_t first = d->rank = first_rank(job);
	uint64_t height = job->height;
	bool fine = true, found;

	d->ahead = mp_planner_ahead_open(job, &row, d);
	if (!d->ahead)
		return PLAN_FAILED;
	while (fine && d->rank < countof(ranks) && !mp_planner_job_done(job) &&
		(d->rank == first || (job->steps > 0 && !job->cut_short))) {
		found = job->height < height;
		height = job->height;
		fine = mp_planner_ahead_run(d->ahead, in_chain(d, found));
	}
	mp_planner_ahead_close(d->ahead);
	return fine ? mp_planner_job_outcome(job) : PLAN_FAILED;
}

/* Without a plan there is neither a target nor an end of the budget. */
static void run_start(struct dive_start *start, const struct job *job)
{
	start->job = *job;
	start->job.arena = &start->arena;
	start->job.error = &start->error;
	start->job.progress = NULL;
	start->beaten.outer = job->beaten;
	start->job.beaten = &start->beaten;
	start->job.spent = 0;
	start->complete = run_dive(&start->job, &start->dive, true);
	start->has_run = true;
}

static bool make_packing(struct dive_start *start, const struct job *job)
{
	struct arena *arena = &start->arena;

	assert(!arena->blocks);
	start->error = (struct error){.code = MEMPLAN_OK};
	*arena = (struct arena){
		.error = &start->error, .threads = job->arena->threads};
	return mp_planner_packing_init(&start->packing, job->problem, arena);
}

static bool make_dive(struct dive_start *start, const struct job *job)
{
	struct arena *arena = &start->arena;
	int64_t *offsets;

	if (!make_packing(start, job))
		return false;
	offsets = NEW(arena, int64_t, job->problem->n_buffers);
	if (!offsets)
		return false;
	start->mark = mp_arena_mark(arena);
	return mp_planner_dive_init(&start->dive, &start->packing,
		       ranks[first_rank(job)], offsets, arena) &&
	       mp_planner_dive_in_halves(&start->dive, arena);
}

/* Without memory nothing is ready, and the next try begins anew. */
void mp_planner_dive_make_ready(const struct job *job)
{
	struct dive_start *start = job->start;

	assert(!start->problem);
	if (!make_dive(start, job)) {
		mp_arena_free(&start->arena);
		return;
	}
	start->problem = job->problem;
	if (job->wants_near && job->height == UINT64_MAX)
		run_start(start, job);
}

/* Takes what is ready, or makes the packing of all dives, which the rows behind
 * this one take too; of very many buffers few rows do, and what it was made
 * with would stay beside the dives. A limit of memory is for one at a time. */
static bool start_dives(struct dives *d, struct packing *own)
{
	struct job *job = d->job;
	struct dive_start *start = job->start;

	d->packing = own;
	if (start && start->problem == job->problem) {
		mp_arena_trim(job->arena);
		d->start = start;
	} else if (!start || start->arena.blocks ||
		   job->problem->n_buffers > MANY_BUFFERS ||
		   mp_arena_beside(job->arena).limit != 0 ||
		   !make_packing(start, job))
		return mp_planner_packing_of(own, job, job->arena);
	d->packing = job->packing = &start->packing;
	mp_arena_put_within(&start->arena, job->arena);
	start->problem = NULL;
	return true;
}

enum outcome mp_planner_dive_run(struct job *job, int variant)
{
	struct dives d = {.job = job};
	struct packing packing;

	(void)variant;
	if (!mp_planner_job_is_flat(job))
		return PLAN_GAVE_UP;
	if (!start_dives(&d, &packing))
		return PLAN_FAILED;
	return run_in_turn(&d);
}

bool mp_planner_dive_first(struct job *job, enum outcome *outcome)
{
	*outcome = PLAN_FAILED;
	if (job->height == UINT64_MAX &&
		mp_planner_dive_run(job, 0) == PLAN_FAILED)
		return false;
	*outcome = mp_planner_job_outcome(job);
	return *outcome == PLAN_FOUND;
}
