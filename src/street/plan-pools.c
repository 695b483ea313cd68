/*
 * Plans one problem in several pools: assigns every buffer to a pool, plans
 * each block of a pool by itself, and adds the results up.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "verify/verify.h"

enum {
	WORK_A_STEP = 10 /* comparisons of two parts in the time of a step */
};

struct pooling {
	memplan *m;
	const struct run *run;
	const struct problem *problem;
	uint64_t steps; /* for all buffers once */
	double deadline;
};

static bool plan_part_of(void *context, const struct problem *sub,
	uint64_t capacity, struct job *job)
{
	const struct pooling *pooling = context;
	uint64_t n = pooling->problem->n_buffers;
	uint64_t steps = pooling->steps / n * sub->n_buffers +
			 pooling->steps % n * sub->n_buffers / n;

	return mp_street_run_row(pooling->m, pooling->run, sub,
		&(struct row_limits){capacity, steps + 1, pooling->deadline},
		job);
}

/* A solution names no pools: it goes with a plan, of which every tensor has
 * one. */
static bool check_solution(
	memplan *m, const struct run *run, const struct problem *problem)
{
	for (uint32_t i = 0; run->graph->solution && i < problem->n_buffers;
		i++)
		if (problem->pool_lists[problem->pool_list[i]].n > 1)
			return mp_fail(&m->error, MEMPLAN_EUSAGE,
				"%s: offsets that a solver found do not say "
				"which of its pools '%.80s' is in: give the "
				"plan that the linear program is of",
				problem->name, mp_problem_label(problem, i));
	return true;
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

/* The tensors of all cliques that are bounds of pools. */
static bool join_cliques(
	const struct spaces *spaces, struct ids *all, struct arena *arena)
{
	uint32_t n = 0, *at;

	for (uint32_t i = 0; i < spaces->n; i++)
		if (spaces->at[i].bound_kind == BOUND_CLIQUE)
			n += spaces->at[i].clique.n;
	at = NEW(arena, uint32_t, n);
	*all = (struct ids){at, 0};
	for (uint32_t i = 0; at && i < spaces->n; i++) {
		const struct space *space = &spaces->at[i];

		if (space->bound_kind != BOUND_CLIQUE)
			continue;
		for (uint32_t k = 0; k < space->clique.n; k++)
			at[all->n++] = space->clique.at[k];
	}
	return at != NULL;
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
	return join_cliques(&a->spaces, &job->clique, &m->run) &&
	       add_sizes(m, job);
}

/* Plans the problem with these pools. Without an assignment the job's height
 * stays UINT64_MAX. */
static bool assign(struct pooling *pooling, const struct problem *problem,
	struct assignment *a, struct job *job)
{
	memplan *m = pooling->m;
	const struct run *run = pooling->run;

	*a = (struct assignment){.problem = problem,
		.plan = plan_part_of,
		.context = pooling,
		.arena = &m->run,
		.error = &m->error,
		.work = num_mul_most(pooling->steps, WORK_A_STEP),
		.tight = m->options.tight || run->capacity != UINT64_MAX};
	*job = (struct job){.problem = pooling->problem, .height = UINT64_MAX};
	if (!mp_pools_assign(a))
		return false;
	return a->misfit != MISFIT_NONE ||
	       (sum_up(m, run, a, job) &&
		       mp_verify_spaces(pooling->problem, &a->spaces,
			       a->offsets, MEMPLAN_EINTERNAL, &m->run,
			       &m->error));
}

/* The capacity of a space is that of its pool in the problem, whatever was left
 * of it to find the plan. */
static void name_capacities(
	const struct problem *problem, struct spaces *spaces)
{
	for (uint32_t i = 0; i < spaces->n; i++)
		spaces->at[i].capacity =
			mp_graph_pool_room(&problem->pools[spaces->at[i].pool]);
}

/* Pools that are at their largest at different steps take more together than
 * one pool would. So if a plan exceeds the capacity of all pools, tries plans
 * that have less and less of the first pool, and keeps the smallest. */
static bool plan_with_less(struct pooling *pooling, struct job *best)
{
	enum {
		PARTS = 4
	};
	const struct problem *problem = pooling->problem;
	uint64_t used = best->spaces.at[0].size;
	struct problem less = *problem;
	struct memory_pool *pools = mp_arena_copy(&pooling->m->run,
		problem->pools, problem->n_pools, sizeof(*pools));
	struct assignment a;
	struct job job;

	if (!pools || best->spaces.at[0].pool != 0)
		return pools != NULL;
	less.pools = pools;
	for (uint32_t i = PARTS;
		i-- > 0 && best->height > pooling->run->capacity;) {
		pools[0].capacity =
			used / PARTS * i & ~(pools[0].alignment - 1);
		if (!assign(pooling, &less, &a, &job))
			return false;
		if (job.height >= best->height)
			continue;
		*best = job;
		name_capacities(problem, &best->spaces);
	}
	return true;
}

bool mp_street_plan_pools(memplan *m, const struct run *run,
	const struct problem *problem, uint64_t steps, struct job *job)
{
	struct pooling pooling = {
		m, run, problem, steps, mp_street_deadline(m, run)};
	struct assignment a;

	assert(problem->pools);
	*job = (struct job){.problem = problem, .height = UINT64_MAX};
	if (!check_solution(m, run, problem))
		return false;
	if (run->unverified)
		return take(m, problem, job);
	if ((mp_problem_is_given(problem) &&
		    !mp_verify_fixed(
			    problem, MEMPLAN_NO, &m->run, &m->error)) ||
		!assign(&pooling, problem, &a, job))
		return false;
	if (a.misfit != MISFIT_NONE && m->found.misfit != MISFIT_OPEN) {
		m->found.misfit = a.misfit;
		m->found.misfit_why = a.why;
	}
	return a.misfit != MISFIT_NONE || job->height <= run->capacity ||
	       !run->spares || plan_with_less(&pooling, job);
}
