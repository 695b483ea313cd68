/*
 * Plans one problem, in the arena or in several pools. In one block of memory
 * that is a run of one row of the planner table. In several pools every buffer
 * is assigned to a pool, each block of a pool is planned by itself, and the
 * results are added up.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "problem/bound.h"
#include "verify/verify.h"

/* -------------------------------------------------------- one block */

/* What fits into so many seconds, at 50 to 100 ns a step. */
static uint64_t steps_within(double seconds)
{
	const double a_second = 20000000, most = 1e18;

	return (uint64_t)(seconds < most / a_second ? seconds * a_second
						    : most);
}

/* The default effort is half a second. It grows with the buffers, as planners
 * repeat passes over all of them, up to a few seconds; of very many buffers it
 * shrinks again, down to two of the cheapest passes. Nowhere does it jump. A
 * limit of time asks for what fits into it. */
static uint64_t steps_for(const memplan *m, uint32_t n_buffers)
{
	enum {
		STEPS_EACH = 1000,
		MOST_STEPS = 40000000,
		VERY_MANY = 200000,
		LEAST_EACH = 15
	};
	uint64_t n = n_buffers, steps = m->options.steps;

	if (m->options.steps_given)
		return steps;
	if (m->options.time_limit > 0)
		return steps_within(m->options.time_limit);
	steps = num_max(steps, num_min(MOST_STEPS, n * STEPS_EACH));
	if (n > VERY_MANY)
		steps = steps * VERY_MANY / n;
	return num_max(steps, n * LEAST_EACH);
}

static double deadline_of(const memplan *m, const struct run *run)
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
		.steps = steps_for(m, problem->n_buffers),
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
	atomic_store(&m->threads.idle, (int)m->options.threads - 1);
	job.deadline = deadline_of(m, run);
	job.best = NEW(&m->run, uint64_t, problem->n_buffers);
	if (!mp_problem_bound(problem, &bound, &m->run))
		job.best = NULL;
	job.lower_bound = bound.bytes;
	job.bound_kind = bound.kind;
	job.clique = bound.clique.tensors;
	return job;
}

static bool run_planner(memplan *m, const struct run *run,
	const struct problem *problem, uint64_t capacity, uint64_t steps,
	double deadline, struct job *job)
{
	const struct planner *given = mp_planner_find("given");
	const struct planner *row = run->planner;

	assert(!problem->pools);
	/* A plan that was read keeps its offsets unless a planner is asked for
	 * by name. Joined plans keep theirs too. */
	if (run->keeps_offsets && mp_problem_is_given(problem)) {
		row = given;
		m->found.keeps = problem->n_buffers > 0;
	}
	/* Other rows take offsets that are fixed for granted. */
	if (row != given && mp_problem_is_given(problem) &&
		!mp_verify_fixed(problem, MEMPLAN_NO, &m->run, &m->error))
		return false;
	*job = mp_street_job(m, run, problem);
	job->running = row->name;
	job->capacity = capacity;
	job->steps = steps;
	if (deadline > 0)
		job->deadline = deadline;
	if (!job->best || mp_planner_job_run(job, row) == PLAN_FAILED)
		return false;
	m->found.declined = job->declined;
	m->found.starved |= job->starved;
	return true;
}

/* ------------------------------------------------------------ pools */

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

static bool plan_part_of(void *context, const struct problem *sub,
	uint64_t capacity, struct job *job)
{
	const struct pooling *pooling = context;
	uint64_t n = pooling->problem->n_buffers;
	uint64_t steps = pooling->steps / n * sub->n_buffers +
			 pooling->steps % n * sub->n_buffers / n;

	return run_planner(pooling->m, pooling->run, sub, capacity, steps + 1,
		pooling->deadline, job);
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

static bool plan_in_pools(memplan *m, const struct run *run,
	const struct problem *problem, uint64_t steps, struct job *job)
{
	struct pooling pooling = {m, run, problem, steps, 0};
	struct assignment a;

	assert(problem->pools);
	*job = (struct job){.problem = problem, .height = UINT64_MAX};
	pooling.deadline = deadline_of(m, run);
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

/* With a capacity, rows look for a plan of that size only, unless the arena is
 * to be as small as it gets. If they find none, plans again without the
 * capacity: then a capacity that a plan without one meets is never reported as
 * not found, and the answer says what a plan takes. A budget has other answers,
 * and asks many times. */
static bool plan_block(memplan *m, const struct run *run,
	const struct problem *problem, uint64_t steps, struct job *job)
{
	bool asks_budget = m->options.budget > 0;
	uint64_t capacity =
		m->options.tight && !asks_budget ? UINT64_MAX : run->capacity;
	struct job smallest;

	if (!run_planner(m, run, problem, capacity, steps, 0, job))
		return false;
	if (job->height <= job->capacity || job->cut_short || job->declined ||
		(asks_budget && job->lower_bound > job->capacity) ||
		(run->once && job->height < UINT64_MAX))
		return true;
	if (!run_planner(m, run, problem, UINT64_MAX, steps, job->deadline,
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
	steps = steps_for(m, problem->n_buffers) / share;
	return problem->pools ? plan_in_pools(m, run, problem, steps, job)
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
