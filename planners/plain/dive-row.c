/*
 * dive: one dive after the other, each with another rank and with the best
 * height so far as its target, until one reaches the load.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include "planners/plain/dive.h"

static const char *const ranks[] = {"TCW", "TAW", "TZL", "AWT", "ZTA", "TZW",
	"TWA", "WAT", "CZL", "WZT", "ZL", "COT"};

/* The first dive runs to its end whatever the budget, so that there is a plan;
 * only an interrupt ends it. */
static bool run_dive(struct job *job, struct dive *dive)
{
	uint64_t steps = job->steps, spent = job->spent;
	bool complete;

	if (job->height == UINT64_MAX)
		job->steps = UINT64_MAX;
	else
		dive->target =
			(int64_t)((job->height - 1) / dive->packing->unit);
	complete = mp_planner_dive(dive, job);
	job->steps = steps - num_min(steps, job->spent - spent);
	return complete;
}

static bool dive_into(
	struct job *job, const char *keys, uint64_t *offsets, bool *complete)
{
	struct packing packing;
	struct dive dive;

	if (!mp_planner_packing_init(&packing, job->problem, job->arena) ||
		!mp_planner_dive_init(&dive, &packing, job->arena) ||
		!mp_planner_dive_rank(&dive, keys, job->arena))
		return false;
	*complete = run_dive(job, &dive);
	if (*complete)
		mp_planner_packing_offsets(&packing, dive.offset, offsets);
	return true;
}

/* What the dive needs is freed before its plan is verified, which needs as much
 * again; a million buffers feel that. */
static bool run_rank(struct job *job, const char *keys, uint64_t *offsets)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	bool complete = false, fine = dive_into(job, keys, offsets, &complete);

	mp_arena_rewind(job->arena, mark);
	return fine && (!complete || mp_planner_job_offer(job, offsets));
}

/* The rank that does best on traces of very many buffers looks at each several
 * times as often as the others; fewer buffers are worth more ranks instead. */
static uint32_t first_rank(const struct problem *problem)
{
	return problem->n_buffers > 100000 ? 0 : 1;
}

enum outcome mp_planner_dive_run(struct job *job, int variant)
{
	uint64_t *offsets;

	(void)variant;
	if (job->problem->n_buffers == 0)
		return PLAN_GAVE_UP;
	if (!mp_problem_is_flat(job->problem))
		return mp_planner_job_decline(job, NOT_FLAT);
	offsets = NEW(job->arena, uint64_t, job->problem->n_buffers);
	if (!offsets)
		return PLAN_FAILED;
	for (uint32_t i = first_rank(job->problem); i < countof(ranks); i++) {
		if (!run_rank(job, ranks[i], offsets))
			return PLAN_FAILED;
		if (mp_planner_job_done(job))
			return PLAN_OPTIMAL;
		if (job->steps == 0 || job->cut_short)
			break;
	}
	return job->height == UINT64_MAX ? PLAN_GAVE_UP : PLAN_FOUND;
}
