/*
 * dive: greedy skyline packing, the lowest segment first and on it the buffer
 * of the best rank (see dive.h), repeated with several ranks. Each repetition
 * has the best height so far as its target; the first that reaches the load
 * ends the row.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>
#include <string.h>

#include "planners/plain/dive.h"

enum {
	MANY_BUFFERS = 100000
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

	if (first && !mp_planner_job_near(job))
		job->steps = UINT64_MAX;
	if (job->height != UINT64_MAX)
		dive->target =
			(int64_t)((job->height - 1) / dive->packing->unit);
	complete = mp_planner_dive(dive, job);
	job->steps = steps - num_min(steps, job->spent - spent);
	return complete;
}

static bool pack_by_rank(
	struct job *job, uint32_t rank, int64_t *offsets, bool *complete)
{
	struct packing packing;
	struct dive dive;

	if (!mp_planner_packing_init(&packing, job->problem, job->arena) ||
		!mp_planner_dive_init(
			&dive, &packing, ranks[rank], offsets, job->arena))
		return false;
	*complete = run_dive(job, &dive, rank == first_rank(job));
	if (!*complete)
		return true;
	/* The sizes have done their work: items' offsets go there, and buffers'
	 * offsets come where they were. */
	memcpy(packing.size, offsets, sizeof(*offsets) * packing.n_items);
	mp_planner_packing_offsets(&packing, packing.size, (uint64_t *)offsets);
	return true;
}

/* Frees the memory of the dive before its plan is verified, which needs as much
 * again: 85 MB with a million buffers. */
static bool run_rank(struct job *job, uint32_t rank, int64_t *offsets)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	bool complete = false,
	     fine = pack_by_rank(job, rank, offsets, &complete);

	mp_arena_rewind(job->arena, mark);
	return fine && (!complete || mp_planner_job_offer(
					     job, (const uint64_t *)offsets));
}

enum outcome mp_planner_dive_run(struct job *job, int variant)
{
	int64_t *offsets;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (job->problem->n_buffers == 0)
		return PLAN_GAVE_UP;
	if (!mp_problem_is_flat(job->problem))
		return mp_planner_job_decline(job, NOT_FLAT);
	offsets = NEW(job->arena, int64_t, job->problem->n_buffers);
	if (!offsets)
		return PLAN_FAILED;
	for (uint32_t i = first_rank(job); i < countof(ranks); i++) {
		if (!run_rank(job, i, offsets))
			return PLAN_FAILED;
		if (mp_planner_job_done(job))
			return PLAN_OPTIMAL;
		if (job->steps == 0 || job->cut_short)
			break;
	}
	return job->height == UINT64_MAX ? PLAN_GAVE_UP : PLAN_FOUND;
}
