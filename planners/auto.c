/*
 * auto: every row that is cheap on any problem, in the order of the table,
 * until one reaches the lower bound.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rows.h"

static enum outcome run_row(struct job *job, const struct planner *row)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	enum outcome outcome;

	job->running = row->name;
	outcome = row->run(job, row->variant);
	mp_arena_rewind(job->arena, mark);
	return outcome;
}

enum outcome mp_auto_run(struct job *job, int variant)
{
	enum outcome outcome;

	(void)variant;
	for (uint32_t i = 0; i < mp_n_planners && !mp_job_done(job); i++) {
		if (!mp_planners[i].in_auto)
			continue;
		outcome = run_row(job, &mp_planners[i]);
		if (outcome == PLAN_FAILED || outcome == PLAN_NO_FIT)
			return outcome;
	}
	if (job->height == UINT64_MAX)
		return PLAN_GAVE_UP;
	return mp_job_done(job) ? PLAN_OPTIMAL : PLAN_FOUND;
}
