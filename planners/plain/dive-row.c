/*
 * dive: greedy skyline packing, the lowest segment first and on it the buffer
 * of the best rank (see dive.h), repeated with several ranks. Each repetition
 * has the best height so far as its target; the first that reaches the load
 * ends the row.
 *
 * Most repetitions fail, and change nothing for the next. So with several
 * threads the next ones are run ahead, and count as long as those before them
 * have failed: what comes out is the same.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>

#include "planners/plain/dive.h"

enum {
	MANY_BUFFERS = 100000,
	AT_ONCE = 4 /* repetitions at most: each has memory of its own */
};

/* Measured on 85 graphs and traces: the first rank alone reaches the load on
 * 67, each of the others on 53 to 64; on 13 only one of six ranks is the best.
 */
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

/* Dives in memory of the job's arena, and frees it. */
static bool dive_by_rank(struct job *job, const struct packing *packing,
	uint32_t rank, int64_t *offsets, atomic_bool *is_far, bool *complete)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	struct dive dive;
	bool fine = mp_planner_dive_init(
			    &dive, packing, ranks[rank], offsets, job->arena) &&
		    mp_planner_dive_in_halves(&dive, job->arena);

	dive.is_far = is_far;
	*complete = fine && run_dive(job, &dive, rank == first_rank(job));
	mp_arena_rewind(job->arena, mark);
	return fine;
}

/* ------------------------------------------------------------ ranks */

struct dives {
	struct job *job;
	const struct packing *packing; /* of all repetitions */
	struct dive_start *start;      /* if it is ready; else NULL */
	struct ahead *ahead;
	uint32_t n_ahead;    /* repetitions that may run at a time */
	uint32_t n_begun;    /* of this time */
	atomic_ullong spent; /* by those that have ended */
};

/* Hands in the plan of a complete dive. */
static bool offer(struct dives *d, const int64_t *offsets)
{
	struct arena *arena = d->job->arena;
	struct arena_mark mark = mp_arena_mark(arena);
	uint64_t *bytes = NEW(arena, uint64_t, d->packing->n_items);
	bool fine = bytes != NULL;

	if (fine) {
		mp_planner_packing_offsets(d->packing, offsets, bytes);
		fine = mp_planner_job_offer(d->job, bytes);
	}
	mp_arena_rewind(arena, mark);
	return fine;
}

static bool run_first(struct dives *d)
{
	struct dive_start *start = d->start;
	bool complete = run_dive(d->job, &start->dive, true);

	mp_arena_rewind(&start->arena, start->mark);
	return !complete || offer(d, start->dive.offset);
}

static bool run_rank(struct dives *d, uint32_t rank, int64_t *offsets)
{
	bool complete;

	return dive_by_rank(
		       d->job, d->packing, rank, offsets, NULL, &complete) &&
	       (!complete || offer(d, offsets));
}

/* ------------------------------------------------------------ ahead */

/* A repetition that begins before it is known what those before it find. */
struct ahead {
	uint32_t rank;
	struct job job;
	struct arena arena;
	struct error error;
	int64_t *offsets;
	bool fine, complete;
	atomic_bool beaten; /* one before it is complete, or has gone far */
};

/* How many repetitions may run at a time. A limit of memory is for one. */
static uint32_t make_ahead(struct job *job, struct ahead *ahead)
{
	uint32_t n = 1;

	if (mp_threads_for(job->threads, 2) > 1 &&
		mp_arena_beside(job->arena).limit == 0)
		n = mp_threads_for(job->threads, AT_ONCE);
	for (uint32_t i = 0; i < n; i++) {
		ahead[i].offsets =
			NEW(job->arena, int64_t, job->problem->n_buffers);
		if (!ahead[i].offsets)
			return 0;
	}
	return n;
}

/* Once the first has gone far the last gives up its thread: two then work on
 * the halves of the first, which may well be complete. */
static bool run_ahead(void *context, uint32_t i)
{
	struct dives *d = context;
	struct ahead *ahead = &d->ahead[i];

	/* Those before this one have begun, and may have spent all. */
	if (atomic_load(&ahead->beaten) ||
		atomic_load(&d->spent) >= d->job->steps)
		return false;
	ahead->fine = dive_by_rank(&ahead->job, d->packing, ahead->rank,
		ahead->offsets,
		i == 0 ? &d->ahead[d->n_begun - 1].beaten : NULL,
		&ahead->complete);
	ahead->fine &= !atomic_load(&ahead->beaten);
	mp_arena_free(&ahead->arena);
	atomic_fetch_add(&d->spent, ahead->job.spent);
	while (ahead->complete && ++i < d->n_begun)
		atomic_store(&d->ahead[i].beaten, true);
	return false;
}

static void run_all_ahead(struct dives *d, uint32_t rank, uint32_t n)
{
	struct job *job = d->job;
	struct ahead *ahead = d->ahead;
	uint64_t peak = job->arena->held;

	for (uint32_t i = 0; i < n; i++) {
		ahead[i].rank = rank + i;
		ahead[i].fine = ahead[i].complete = false;
		ahead[i].error = (struct error){.code = MEMPLAN_OK};
		ahead[i].arena = (struct arena){.error = &ahead[i].error,
			.threads = job->arena->threads};
		ahead[i].job = *job;
		ahead[i].job.arena = &ahead[i].arena;
		ahead[i].job.error = &ahead[i].error;
		ahead[i].job.progress = NULL;
		ahead[i].job.beaten = &ahead[i].beaten;
		ahead[i].job.spent = 0;
		atomic_init(&ahead[i].beaten, false);
	}
	atomic_store(&d->spent, 0);
	d->n_begun = n;
	mp_threads_run(job->threads, n, run_ahead, d);
	for (uint32_t i = 0; i < n; i++)
		peak += ahead[i].arena.peak;
	job->arena->peak = num_max(job->arena->peak, peak);
}

/* Runs n repetitions, takes those that are what they would have been one after
 * the other, and says how many these are: the first that finds a plan, or ends
 * the budget, is the last. 0: the row has failed. */
static uint32_t run_ranks(struct dives *d, uint32_t rank, uint32_t n)
{
	struct job *job = d->job;
	uint32_t taken = 0;

	run_all_ahead(d, rank, n);
	if (!d->ahead[0].fine)
		return run_rank(d, rank, d->ahead[0].offsets) ? 1 : 0;
	while (taken < n) {
		const struct ahead *a = &d->ahead[taken];

		if (taken > 0 && (!a->fine || a->job.spent >= job->steps))
			break;
		taken++;
		mp_planner_job_step(job, a->job.spent);
		job->cut_short |= a->job.cut_short;
		if (a->complete && !offer(d, a->offsets))
			return 0;
		if (a->complete || job->steps == 0 || job->cut_short)
			break;
	}
	return taken;
}

/* The first repetition nearly always finds a plan, so none is run ahead of it.
 */
static enum outcome run_in_turn(struct dives *d)
{
	struct job *job = d->job;
	uint32_t rank = first_rank(job), taken;

	while (rank < countof(ranks)) {
		uint32_t n =
			(uint32_t)num_min(d->n_ahead, countof(ranks) - rank);

		if (rank == first_rank(job) && d->start)
			taken = run_first(d) ? 1 : 0;
		else if (n == 1 || rank == first_rank(job))
			taken = run_rank(d, rank, d->ahead[0].offsets) ? 1 : 0;
		else
			taken = run_ranks(d, rank, n);
		if (taken == 0)
			return PLAN_FAILED;
		if (mp_planner_job_done(job))
			return PLAN_OPTIMAL;
		if (job->steps == 0 || job->cut_short)
			break;
		rank += taken;
	}
	return job->height == UINT64_MAX ? PLAN_GAVE_UP : PLAN_FOUND;
}

void mp_planner_dive_make_ready(const struct job *job)
{
	struct dive_start *start = job->start;
	struct arena *arena = &start->arena;
	int64_t *offsets;

	*arena = (struct arena){
		.error = &start->error, .threads = job->arena->threads};
	offsets = NEW(arena, int64_t, job->problem->n_buffers);
	if (!offsets ||
		!mp_planner_packing_init(&start->packing, job->problem, arena))
		return;
	start->mark = mp_arena_mark(arena);
	if (mp_planner_dive_init(&start->dive, &start->packing,
		    ranks[first_rank(job)], offsets, arena) &&
		mp_planner_dive_in_halves(&start->dive, arena))
		start->problem = job->problem;
}

/* Takes what is ready, or makes the packing of all dives. */
static bool start_dives(struct dives *d, struct packing *own)
{
	struct job *job = d->job;

	d->packing = own;
	if (!job->start || job->start->problem != job->problem)
		return mp_planner_packing_init(own, job->problem, job->arena);
	d->start = job->start;
	d->packing = &d->start->packing;
	job->arena->peak = num_max(
		job->arena->peak, job->arena->held + d->start->arena.held);
	d->start->problem = NULL;
	return true;
}

enum outcome mp_planner_dive_run(struct job *job, int variant)
{
	struct ahead ahead[AT_ONCE];
	struct dives d = {.job = job, .ahead = ahead};
	struct packing packing;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (job->problem->n_buffers == 0)
		return PLAN_GAVE_UP;
	if (!mp_problem_is_flat(job->problem))
		return mp_planner_job_decline(job, NOT_FLAT);
	d.n_ahead = make_ahead(job, ahead);
	if (d.n_ahead == 0 || !start_dives(&d, &packing))
		return PLAN_FAILED;
	return run_in_turn(&d);
}
