/*
 * Jobs of planners.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/planning.h"

#include <assert.h>

#include "verify/verify.h"

struct job mp_testing_job(
	const struct problem *problem, uint64_t steps, struct arena *arena)
{
	return (struct job){.problem = problem,
		.capacity = UINT64_MAX,
		.seed = 1,
		.steps = steps,
		.threads = 1,
		.arena = arena,
		.error = arena->error,
		.verify = mp_verify,
		.height = UINT64_MAX,
		.lower_bound = problem->theoretical_min,
		.best = NEW(arena, uint64_t, problem->n_buffers)};
}

enum outcome mp_testing_plan(struct job *job, const char *planner)
{
	const struct planner *row = mp_planner_find(planner);

	assert(row && job->best);
	job->running = row->name;
	return row->run(job, row->variant);
}
