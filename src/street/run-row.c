/*
 * Runs one row of the planner table on one problem in one memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>

#include "problem/bound.h"
#include "verify/verify.h"

/* What fits into so many seconds, at 50 to 100 ns a step. */
static uint64_t steps_within(double seconds)
{
	const double a_second = 20000000, most = 1e18;

	return (uint64_t)(seconds < most / a_second ? seconds * a_second
						    : most);
}

static uint64_t usual_steps(uint32_t n_buffers)
{
	enum {
		STEPS_EACH = 1000,
		MOST_STEPS = 40000000,
		VERY_MANY = 200000,
		LEAST_EACH = 15
	};
	uint64_t n = n_buffers, steps = DEFAULT_STEPS;

	steps = num_max(steps, num_min(MOST_STEPS, n * STEPS_EACH));
	if (n > VERY_MANY)
		steps = steps * VERY_MANY / n;
	return num_max(steps, n * LEAST_EACH);
}

uint64_t mp_street_steps(const memplan *m, uint32_t n_buffers)
{
	if (m->options.steps_given)
		return m->options.steps;
	if (m->options.time_limit > 0)
		return steps_within(m->options.time_limit);
	return usual_steps(n_buffers);
}

double mp_street_deadline(const memplan *m, const struct run *run)
{
	double limit = m->options.time_limit;

	if (run->deadline > 0)
		return run->deadline;
	return limit > 0 ? mp_planner_job_now() + limit : 0;
}

struct job mp_street_job(
	memplan *m, const struct run *run, const struct problem *problem)
{
	memplan *caller = run->caller;
	struct lower_bound bound;
	struct job job = {.problem = problem,
		.capacity = run->capacity,
		.seed = m->options.seed,
		.steps = mp_street_steps(m, problem->n_buffers),
		.threads = m->options.threads > 1 ? &m->threads : NULL,
		.stop = &caller->stop,
		.progress =
			caller->on_progress ? mp_street_tell_progress : NULL,
		.progress_context = caller,
		.arena = &m->run,
		.error = &m->error,
		.verify =
			run->unverified ? mp_planner_job_take_as_is : mp_verify,
		.height = UINT64_MAX};

	assert(m->options.threads >= 1);
	mp_threads_set(&m->threads, (int)m->options.threads - 1);
	job.deadline = mp_street_deadline(m, run);
	job.best = NEW(&m->run, uint64_t, problem->n_buffers);
	if (!mp_problem_bound(problem, &bound, &m->run))
		job.best = NULL;
	job.lower_bound = bound.bytes;
	job.bound_kind = bound.kind;
	job.clique = bound.clique.tensors;
	return job;
}

/* Shares of a larger budget are others, so that auto may find less with it.
 * Where the usual steps are a small part, it plans with these first, and goes
 * on from that plan: then the arena is no larger than with the usual steps. */
static bool run_in_stages(struct job *job, const struct planner *row)
{
	enum {
		SMALL_PART = 4
	};
	uint64_t steps = job->steps;
	uint64_t usual = usual_steps(job->problem->n_buffers);
	enum outcome outcome;

	if (steps / SMALL_PART < usual || row != mp_planner_find("auto"))
		return mp_planner_job_run(job, row) != PLAN_FAILED;
	job->steps = usual;
	outcome = mp_planner_job_run(job, row);
	if (outcome == PLAN_FOUND && !job->cut_short) {
		job->steps = steps - usual;
		outcome = mp_planner_job_run(job, row);
	}
	return outcome != PLAN_FAILED;
}

bool mp_street_run_row(memplan *m, const struct run *run,
	const struct problem *problem, const struct row_limits *limits,
	struct job *job)
{
	const struct planner *given = mp_planner_find("given");
	bool is_given = mp_problem_is_given(problem);
	/* A plan that was read keeps its offsets unless a planner is asked for
	 * by name. Joined plans keep theirs too. */
	bool keeps = run->keeps_offsets && is_given;
	const struct planner *row = keeps ? given : run->planner;

	assert(!problem->pools);
	m->found.keeps |= keeps && problem->n_buffers > 0;
	/* Rows but given take offsets that are fixed for granted. */
	if (row != given && is_given &&
		!mp_verify_fixed(problem, MEMPLAN_NO, &m->run, &m->error))
		return false;
	*job = mp_street_job(m, run, problem);
	job->running = row->name;
	job->capacity = limits->capacity;
	job->steps = limits->steps;
	job->deadline = limits->deadline;
	if (!job->best || !run_in_stages(job, row))
		return false;
	m->found.declined = job->declined;
	m->found.starved |= job->starved;
	return true;
}
