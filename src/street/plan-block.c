/*
 * Plans one problem in one block of memory: a job for a row of the planner
 * table, and the run of that row.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>

#include "problem/bound.h"
#include "verify/verify.h"

/* The default effort is half a second. Problems of middling size get more,
 * because their planners repeat passes over all buffers. Problems of very many
 * buffers get two of the cheapest passes. */
uint64_t mp_street_steps(const memplan *m, uint32_t n_buffers)
{
	enum {
		MANY = 20000,
		VERY_MANY = 200000,
		STEPS_EACH = 1000,
		STEPS_EACH_OF_VERY_MANY = 15,
		MOST_STEPS = 40000000
	};
	uint64_t n = n_buffers;

	if (m->options.steps_given || n <= MANY)
		return m->options.steps;
	if (n <= VERY_MANY)
		return num_min(MOST_STEPS, n * STEPS_EACH);
	return num_max(m->options.steps, n * STEPS_EACH_OF_VERY_MANY);
}

static bool take_as_is(const struct problem *problem, const uint64_t *offsets,
	enum memplan_status code, struct arena *scratch, struct error *e)
{
	(void)problem;
	(void)offsets;
	(void)code;
	(void)scratch;
	(void)e;
	return true;
}

struct job mp_street_job(
	memplan *m, const struct run *run, const struct problem *problem)
{
	memplan *caller = run->caller;
	struct job job = {.problem = problem,
		.capacity = run->capacity,
		.seed = m->options.seed,
		.steps = mp_street_steps(m, problem->n_buffers),
		.threads = m->options.threads,
		.stop = &caller->stop,
		.progress =
			caller->on_progress ? mp_street_tell_progress : NULL,
		.progress_context = caller,
		.arena = &m->run,
		.error = &m->error,
		.verify = run->unverified ? take_as_is : mp_verify,
		.height = UINT64_MAX};

	assert(job.threads >= 1);
	if (m->options.time_limit > 0)
		job.deadline = mp_planner_job_now() + m->options.time_limit;
	job.best = NEW(&m->run, uint64_t, problem->n_buffers);
	if (!mp_problem_bound(
		    problem, &job.lower_bound, &job.bound_kind, &m->run))
		job.best = NULL;
	return job;
}

/* A plan that was read keeps its offsets unless a planner is asked for by name.
 * Joined plans keep theirs too. */
static const struct planner *choose_planner(
	const struct run *run, const struct problem *problem)
{
	if (run->keeps_offsets && mp_problem_is_given(problem))
		return mp_planner_find("given");
	return run->planner;
}

bool mp_street_block(memplan *m, const struct run *run,
	const struct problem *problem, uint64_t capacity, uint64_t steps,
	double deadline, struct job *job)
{
	const struct planner *row = choose_planner(run, problem);

	assert(!problem->pools);
	*job = mp_street_job(m, run, problem);
	job->running = row->name;
	job->capacity = capacity;
	job->steps = steps;
	if (deadline > 0)
		job->deadline = deadline;
	if (!job->best || row->run(job, row->variant) == PLAN_FAILED)
		return false;
	m->found.declined = job->declined;
	return true;
}
