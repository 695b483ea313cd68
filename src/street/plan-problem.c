/*
 * Plans one problem, in one memory or in several.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>

/* Keeps the better of two runs in the first. */
static void merge_jobs(struct job *job, const struct job *other)
{
	assert(job->problem == other->problem);
	if (other->lower_bound > job->lower_bound) {
		mp_planner_job_prove(
			job, other->lower_bound, other->bound_kind);
		job->bound_steps = other->bound_steps;
	}
	job->spent += other->spent;
	job->cut_short |= other->cut_short;
	if (other->height >= job->height)
		return;
	job->best = other->best;
	job->height = other->height;
	job->winner = other->winner;
}

/* With a capacity, rows look for a plan of that size only, unless the arena is
 * to be as small as it gets. If they find none, plans again without the
 * capacity: then a capacity that a plan without one meets is never reported as
 * not found, and the answer says what a plan takes. A budget has other answers,
 * and asks many times. */
static bool plan_block(memplan *m, const struct run *run,
	const struct problem *problem, uint64_t steps, struct job *job)
{
	bool asks_budget = m->options.budget > 0;
	struct row_limits limits = {.capacity = m->options.tight && !asks_budget
							? UINT64_MAX
							: run->capacity,
		.steps = steps,
		.deadline = mp_street_deadline(m, run)};
	struct job smallest;

	if (!mp_street_run_row(m, run, problem, &limits, job))
		return false;
	if (job->height <= job->capacity || job->cut_short || job->declined ||
		(asks_budget && job->lower_bound > job->capacity) ||
		(run->once && job->height < UINT64_MAX))
		return true;
	limits.capacity = UINT64_MAX;
	if (!mp_street_run_row(m, run, problem, &limits, &smallest))
		return false;
	merge_jobs(job, &smallest);
	return true;
}

bool mp_street_plan(memplan *m, const struct run *run,
	const struct problem *problem, uint32_t share, struct job *job)
{
	uint64_t steps;

	assert(share > 0);
	steps = mp_street_steps(m, problem->n_buffers) / share;
	return problem->pools
		       ? mp_street_plan_pools(m, run, problem, steps, job)
		       : plan_block(m, run, problem, steps, job);
}

/* Does each buffer lie in one block, whatever the assignment? */
static bool has_no_choice(const struct problem *p)
{
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct pool_list *list = &p->pool_lists[p->pool_list[i]];

		if (list->n > 1 || p->pools[list->at[0]].chunk > 0)
			return false;
	}
	return true;
}

uint64_t mp_street_least(const struct problem *problem, const struct job *job)
{
	assert(job->problem == problem);
	if (!problem->pools || has_no_choice(problem))
		return num_max(problem->theoretical_min, job->lower_bound);
	return problem->theoretical_min;
}
