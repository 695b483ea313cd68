/*
 * given: takes the offsets that the input fixes as they are. For plans that are
 * read back, and for plans made elsewhere.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>

/* The row that made the plan, if there is still one of that name, else this
 * one. */
static const char *find_maker(const struct problem *problem)
{
	const struct planner *row = NULL;

	if (problem->claimed_planner)
		row = mp_planner_find(problem->claimed_planner);
	return row ? row->name : "given";
}

enum outcome mp_planner_given_run(struct job *job, int variant)
{
	const struct problem *problem = job->problem;
	uint64_t *offsets = NEW(job->arena, uint64_t, problem->n_buffers);

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (!offsets)
		return PLAN_FAILED;
	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		offsets[i] = problem->buffers[i].offset;
		if (offsets[i] != NO_OFFSET)
			continue;
		mp_fail(job->error, MEMPLAN_EINPUT,
			"%s: not a whole plan: tensor '%.80s' has no offset; "
			"memplan plan makes one",
			problem->name, mp_problem_label(problem, i));
		return PLAN_FAILED;
	}
	/* A bad plan is an error of the input here, not of a planner. */
	if (!job->verify(problem, offsets, MEMPLAN_NO, job->arena, job->error))
		return PLAN_FAILED;
	job->running = find_maker(problem);
	return mp_planner_job_offer(job, offsets) ? PLAN_FOUND : PLAN_FAILED;
}
