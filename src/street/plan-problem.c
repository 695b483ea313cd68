/*
 * Plans one problem, in the arena or in several pools, and keeps the result as
 * the handle's plan.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>

/* ------------------------------------------------------------- plan */

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

/* With a capacity, rows look for a plan of that size only. If they find none,
 * plans again without the capacity: then a capacity that a plan without one
 * meets is never reported as not found. */
static bool plan_block(memplan *m, const struct run *run,
	const struct problem *problem, uint64_t steps, struct job *job)
{
	struct job smallest;

	if (!mp_street_block(m, run, problem, run->capacity, steps, 0, job))
		return false;
	if (job->height <= job->capacity || job->lower_bound > job->capacity ||
		job->cut_short || job->declined)
		return true;
	if (!mp_street_block(m, run, problem, UINT64_MAX, steps, job->deadline,
		    &smallest))
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
	if (problem->pools)
		return mp_street_pools(m, run, problem, steps, job);
	return plan_block(m, run, problem, steps, job);
}

/* ------------------------------------------------------------- keep */

/* A bound that a search proved cannot be derived again from the plan alone. It
 * is kept as a claim. */
static void keep_claim(const struct claims *claims, struct plan *plan)
{
	if (!claims->present || claims->arena_size != plan->arena_size ||
		claims->lower_bound <= plan->lower_bound ||
		claims->lower_bound > plan->arena_size)
		return;
	plan->lower_bound = claims->lower_bound;
	plan->bound_kind = BOUND_CLAIM;
}

void mp_street_keep(memplan *m, const struct run *run,
	const struct schedule *schedule, const struct job *job)
{
	struct plan *plan = &m->plan;

	assert(run->graph == schedule->graph);
	assert(job->problem == &schedule->problem);
	m->planned = run->graph;
	plan->schedule = schedule;
	plan->problem = &schedule->problem;
	plan->arena_size = job->height;
	m->results.schedule = schedule;
	if (job->height == UINT64_MAX)
		return;
	plan->offsets = job->best;
	plan->spaces = job->spaces;
	plan->lower_bound = num_min(job->lower_bound, job->height);
	plan->bound_kind = job->bound_kind;
	plan->bound_steps = job->bound_steps;
	plan->planner = job->winner;
	plan->cut_short = job->cut_short;
	keep_claim(&run->graph->claims, plan);
	m->results.plan = plan;
	m->has_plan = true;
}
