/*
 * dive: one dive after the other, each with another rank and with the best
 * height so far as its target, until one reaches the load.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rows.h"

#include "dive.h"

static const char *const ranks[] = {"TAW", "TZL", "AWT", "ZTA", "TZW", "TWA",
	"WAT", "TCW", "CZL", "WZT", "ZL", "COT"};

/* The first dive runs to its end whatever the budget, so that there is a plan;
 * only an interrupt ends it. */
static bool run_dive(struct job *job, struct dive *dive)
{
	uint64_t steps = job->steps, spent = job->spent;
	bool complete;

	if (job->height == UINT64_MAX)
		job->steps = UINT64_MAX;
	complete = mp_dive(dive, job);
	spent = job->spent - spent;
	job->steps = steps - num_min(steps, spent);
	return complete;
}

static bool run_rank(struct job *job, struct dive *dive, const char *keys)
{
	if (job->height != UINT64_MAX)
		dive->target =
			(int64_t)((job->height - 1) / dive->packing->unit);
	if (!mp_dive_rank(dive, keys, job->arena))
		return false;
	return !run_dive(job, dive) || mp_dive_offer(dive, job);
}

enum outcome mp_dive_run(struct job *job, int variant)
{
	struct packing packing;
	struct dive dive;

	(void)variant;
	if (job->problem->n_buffers == 0 || !mp_problem_is_plain(job->problem))
		return PLAN_GAVE_UP;
	if (!mp_packing_init(&packing, job->problem, job->arena) ||
		!mp_dive_init(&dive, &packing, job->arena))
		return PLAN_FAILED;
	for (uint32_t i = 0; i < countof(ranks); i++) {
		if (!run_rank(job, &dive, ranks[i]))
			return PLAN_FAILED;
		if (mp_job_done(job))
			return PLAN_OPTIMAL;
		if (job->steps == 0 || job->cut_short)
			break;
	}
	return job->height == UINT64_MAX ? PLAN_GAVE_UP : PLAN_FOUND;
}
