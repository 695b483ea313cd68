/*
 * Plans one problem in several pools: assigns every buffer to a pool, plans
 * each block of a pool by itself, and adds up the results.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "pools/pools.h"
#include "verify/verify.h"

enum {
	WORK_A_STEP =
		10, /* comparisons of two parts that take as long as one step */
};

struct pooling {
	memplan *m;
	const struct run *run;
	const struct problem *problem;
	uint64_t steps; /* for all buffers once */
	double deadline;
};

static bool plan_block(void *context, const struct problem *sub,
	uint64_t capacity, struct job *job)
{
	const struct pooling *pooling = context;
	uint64_t n = pooling->problem->n_buffers;
	uint64_t steps = pooling->steps / n * sub->n_buffers +
			 pooling->steps % n * sub->n_buffers / n;

	return mp_street_block(pooling->m, pooling->run, sub, capacity,
		steps + 1, pooling->deadline, job);
}

static bool refuse_options(
	memplan *m, const struct run *run, const struct problem *problem)
{
	if (run->graph->solution)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"%s: offsets that a solver found are taken for the "
			"arena, not for pools: a solution does not name them",
			problem->name);
	return run->capacity == UINT64_MAX ||
	       mp_fail(&m->error, MEMPLAN_EUSAGE,
		       "%s: several pools have no capacity in common: give "
		       "each its own, --pools NAME=BYTES",
		       problem->name);
}

/* The size of a plan in several pools is the sum of the pools. */
static bool add_sizes(memplan *m, struct job *job)
{
	job->height = 0;
	for (uint32_t i = 0; i < job->spaces.n; i++)
		if (!num_add(job->height, job->spaces.at[i].size, &job->height))
			return mp_fail(&m->error, MEMPLAN_EINPUT,
				"%s: the pools take more than 2^62 bytes",
				job->problem->name);
	return true;
}

/* Bytes that a runtime must allocate for each pool, and their alignment. */
static bool list_pools(const struct problem *problem, struct spaces *spaces,
	struct arena *arena)
{
	*spaces = (struct spaces){.n = problem->n_pools};
	spaces->at = NEW(arena, struct space, problem->n_pools);
	spaces->of = NEW(arena, uint32_t, problem->n_buffers);
	if (!spaces->at || !spaces->of)
		return false;
	for (uint32_t i = 0; i < problem->n_pools; i++) {
		const struct memory_pool *pool = &problem->pools[i];

		spaces->at[i] = (struct space){.name = pool->name,
			.pool = i,
			.capacity = pool->capacity,
			.alignment = pool->alignment,
			.base_alignment = num_max(
				pool->alignment, problem->margins.base)};
	}
	return true;
}

/* Takes the offsets and the pools of the input as they are. */
static bool take(memplan *m, const struct problem *problem, struct job *job)
{
	if (problem->n_buffers > 0 && !mp_problem_is_given(problem))
		return mp_fail(&m->error, MEMPLAN_EINPUT,
			"%s: not every tensor has an offset", problem->name);
	job->winner = mp_planner_find("given")->name;
	job->best = NEW(&m->run, uint64_t, problem->n_buffers);
	if (!job->best || !list_pools(problem, &job->spaces, &m->run))
		return false;
	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		const struct buffer *buffer = &problem->buffers[i];
		uint32_t pool =
			problem->pool_lists[problem->pool_list[i]].at[0];
		struct space *space = &job->spaces.at[pool];
		uint64_t end;

		if (!num_add(buffer->offset, buffer->size, &end))
			return mp_fail(&m->error, MEMPLAN_EINPUT,
				"%s: offset and size of a tensor sum to more "
				"than 2^62 bytes",
				problem->name);
		job->spaces.of[i] = pool;
		job->best[i] = buffer->offset;
		space->size = num_max(space->size, end);
		space->base_alignment =
			num_max(space->base_alignment, buffer->align);
		space->n_buffers++;
	}
	return add_sizes(m, job);
}

/* The row that placed every buffer; if there were several, the row that was
 * asked for. */
static const char *winner_of(const struct run *run, const struct spaces *spaces)
{
	const char *winner = NULL;

	for (uint32_t i = 0; i < spaces->n; i++) {
		const char *planner = spaces->at[i].planner;

		if (planner && winner && strcmp(planner, winner) != 0)
			return run->planner->name;
		winner = planner ? planner : winner;
	}
	return winner ? winner : run->planner->name;
}

/* A plan is as well proved as its least proved pool. */
static bool sum_up(memplan *m, const struct run *run,
	const struct assignment *a, struct job *job)
{
	job->best = a->offsets;
	job->spaces = a->spaces;
	job->lower_bound = 0;
	job->cut_short = a->cut_short;
	job->winner = winner_of(run, &a->spaces);
	for (uint32_t i = 0; i < a->spaces.n; i++) {
		const struct space *space = &a->spaces.at[i];

		job->lower_bound += space->lower_bound;
		job->bound_steps += space->bound_steps;
		if (space->bound_kind > job->bound_kind)
			job->bound_kind = space->bound_kind;
	}
	return add_sizes(m, job);
}

bool mp_street_pools(memplan *m, const struct run *run,
	const struct problem *problem, uint64_t steps, struct job *job)
{
	struct pooling pooling = {m, run, problem, steps, 0};
	struct assignment a = {.problem = problem,
		.plan = plan_block,
		.context = &pooling,
		.arena = &m->run,
		.error = &m->error,
		.work = steps * WORK_A_STEP};

	assert(problem->pools);
	*job = (struct job){.problem = problem, .height = UINT64_MAX};
	if (m->options.time_limit > 0)
		pooling.deadline = mp_planner_job_now() + m->options.time_limit;
	if (!refuse_options(m, run, problem))
		return false;
	if (run->unverified)
		return take(m, problem, job);
	if ((mp_problem_is_given(problem) &&
		    !mp_verify_fixed_spaces(
			    problem, MEMPLAN_NO, &m->run, &m->error)) ||
		!mp_pools_assign(&a))
		return false;
	if (a.misfit != MISFIT_NONE && m->found.misfit != MISFIT_OPEN) {
		m->found.misfit = a.misfit;
		m->found.misfit_why = a.why;
	}
	if (a.misfit != MISFIT_NONE)
		return true;
	return sum_up(m, run, &a, job) &&
	       mp_verify_spaces(problem, &a.spaces, a.offsets,
		       MEMPLAN_EINTERNAL, &m->run, &m->error);
}
