/*
 * The street where a graph names several memories: the assignment instead of
 * one planner, and what it makes of the plan.
 *
 * SPDX-License-Identifier: MIT
 */
#include "handle.h"

#include <string.h>

#include "assign.h"
#include "verify.h"

enum {
	WORK_A_STEP = 10, /* comparisons of two parts that take a step's time */
};

struct pooling {
	memplan *m;
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

	return mp_street_block(
		pooling->m, sub, capacity, steps + 1, pooling->deadline, job);
}

static bool refuse_options(memplan *m, const struct problem *problem)
{
	const char *what = NULL;

	if (m->options.capacity != UINT64_MAX)
		what = "capacity in common: give each its own, "
		       "--pools NAME=BYTES";
	if (m->graph.solution)
		what = "solution of a linear program";
	if (m->options.minimise_reuse)
		what = "search for few overwrites";
	if (m->unverified)
		what = "way to take offsets unverified";
	return !what ||
	       mp_fail(&m->error, MEMPLAN_EUSAGE,
		       "%s: several pools have no %s", problem->name, what);
}

/* The row that placed all of them, or the one that was asked for. */
static const char *winner_of(const memplan *m, const struct spaces *spaces)
{
	const char *winner = NULL;

	for (uint32_t i = 0; i < spaces->n; i++) {
		const char *planner = spaces->at[i].planner;

		if (planner && winner && strcmp(planner, winner) != 0)
			return mp_planner_find(m->options.planner)->name;
		winner = planner ? planner : winner;
	}
	return winner ? winner : mp_planner_find(m->options.planner)->name;
}

/* A plan in several memories is as large as all of them, and as well proved as
 * the least of them. */
static void sum_up(
	const memplan *m, const struct assignment *a, struct job *job)
{
	job->best = a->offsets;
	job->spaces = a->spaces;
	job->height = 0;
	job->lower_bound = 0;
	job->cut_short = a->cut_short;
	job->winner = winner_of(m, &a->spaces);
	for (uint32_t i = 0; i < a->spaces.n; i++) {
		const struct space *space = &a->spaces.at[i];

		job->height += space->size;
		job->lower_bound += space->lower_bound;
		if (space->bound_kind > job->bound_kind)
			job->bound_kind = space->bound_kind;
	}
}

static void note_misfit(memplan *m, const struct assignment *a)
{
	if (m->misfit == MISFIT_OPEN)
		return;
	m->misfit = a->misfit;
	m->misfit_why = a->why;
}

bool mp_street_pools(memplan *m, const struct problem *problem, uint64_t steps,
	struct job *job)
{
	struct pooling pooling = {m, problem, steps, 0};
	struct assignment a = {.problem = problem,
		.plan = plan_block,
		.context = &pooling,
		.arena = &m->arena,
		.error = &m->error,
		.work = steps * WORK_A_STEP};

	*job = (struct job){.problem = problem, .height = UINT64_MAX};
	if (m->options.time_limit > 0)
		pooling.deadline = mp_job_now() + m->options.time_limit;
	if (!refuse_options(m, problem) ||
		(mp_problem_is_given(problem) &&
			!mp_verify_fixed_spaces(
				problem, MEMPLAN_NO, &m->arena, &m->error)) ||
		!mp_assign(&a))
		return false;
	if (a.misfit != MISFIT_NONE)
		return note_misfit(m, &a), true;
	sum_up(m, &a, job);
	return mp_verify_spaces(problem, &a.spaces, a.offsets,
		MEMPLAN_EINTERNAL, &m->arena, &m->error);
}
