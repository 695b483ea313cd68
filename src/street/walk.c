/*
 * The street: read, check, order, lifetime, problem, planner, verify, emit.
 * This file walks it; the stages know nothing of each other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <string.h>

#include "bundle/member-order.h"
#include "lifetime/lifetime.h"
#include "order/fold.h"
#include "problem/bound.h"
#include "street/pool-option.h"
#include "verify/verify.h"

/* What is placed anew may lie in any pool. */
static bool take_options(memplan *m)
{
	const char *name = m->options.name;

	if (name[0])
		m->graph.name = mp_arena_text(&m->arena, name, strlen(name));
	if (!m->graph.name)
		return false;
	if (m->options.replan && !mp_graph_forget_offsets(&m->graph, &m->arena))
		return false;
	return m->options.pools[0] == '\0' ||
	       mp_street_pool_option(
		       &m->graph, m->options.pools, &m->arena, &m->error);
}

bool mp_street_read(memplan *m)
{
	if (m->has_graph)
		return mp_street_apply_options(m);
	if (m->joined)
		return mp_street_join(m);
	if (!m->input.files[ROLE_MAIN].name)
		return mp_fail(&m->error, MEMPLAN_EUSAGE, "no input given");
	m->input.graph = m->options.graph[0] ? m->options.graph : NULL;
	m->input.target = mp_graph_target_find(m->options.target);
	m->input.alignment = m->options.align;
	if (m->input.alignment == 0 && m->input.target)
		m->input.alignment = m->input.target->alignment;
	m->graph = (struct graph){0};
	m->has_graph =
		mp_input_read(&m->input, &m->graph, &m->arena, &m->error) &&
		mp_street_apply_policies(m) &&
		mp_graph_link(&m->graph, &m->arena, &m->error) &&
		mp_graph_constrain(&m->graph, &m->arena, &m->error) &&
		mp_bundle_check_order(&m->graph, &m->arena, &m->error) &&
		take_options(m);
	return m->has_graph && mp_street_apply_options(m);
}

bool mp_street_order(
	memplan *m, const struct order_row *row, struct order_job *job)
{
	*job = (struct order_job){.graph = &m->graph,
		.inplace = m->options.inplace,
		.seed = m->options.seed,
		.steps = m->options.steps,
		.peak = m->options.peak,
		.stop = &m->stop,
		.watch = mp_street_enter(m, "ordering", row->name),
		.arena = &m->arena,
		.error = &m->error,
		.winner = row->name};
	if (!row->run(job, row->variant))
		return m->error.code == MEMPLAN_OK
			       ? mp_fail(&m->error, MEMPLAN_EINTERNAL,
					 "order '%s' failed", row->name)
			       : false;
	for (uint32_t i = 0; i < job->n_choices; i++)
		if (!mp_graph_is_order(&m->graph, job->choices[i], &m->arena))
			return mp_fail(&m->error, MEMPLAN_EINTERNAL,
				"order '%s' broke a dependence", row->name);
	if (!mp_order_fold_is_exact(&m->graph))
		job->lower_bound = 0;
	return true;
}

/* The offset of a buffer is that of its first tensor. */
static void take_solution(struct schedule *schedule, const uint64_t *solution)
{
	struct buffer *buffers = schedule->problem.buffers;

	for (uint32_t t = schedule->graph->n_tensors; t-- > 0;)
		if (schedule->stay[t].buffer != NONE)
			buffers[schedule->stay[t].buffer].offset = solution[t];
}

/* What is known of all orders: what this run proved, else what the plan file
 * says. */
static bool name_bound(
	memplan *m, const struct order_job *job, struct schedule *schedule)
{
	uint32_t *ops;

	if (job->lower_bound == 0) {
		schedule->order_bound = m->graph.claims.order_bound;
		schedule->order_bound_claimed = schedule->order_bound.bytes > 0;
		return true;
	}
	ops = NEW(&m->arena, uint32_t, job->n_bound_ops);
	if (!ops)
		return false;
	memcpy(ops, job->bound_ops, sizeof(*ops) * job->n_bound_ops);
	schedule->order_bound = (struct order_bound){.bytes = job->lower_bound,
		.kind = job->bound_kind,
		.ops = {ops, job->n_bound_ops},
		.first = job->bound_first,
		.inplace = job->inplace};
	return true;
}

/* Where all offsets are fixed, that is a plan, which a planner answers for. */
bool mp_street_check_fixed(memplan *m, const struct problem *problem)
{
	if (mp_problem_is_given(problem))
		return true;
	return problem->pools ? mp_verify_fixed_spaces(problem, MEMPLAN_EINPUT,
					&m->arena, &m->error)
			      : mp_verify_fixed(problem, &m->arena, &m->error);
}

/* A schedule has a graph of its own, as a run may look at others than the one
 * that was read: one with a plan's offsets, or with detours put in. */
struct schedule *mp_street_schedule(
	memplan *m, const struct order_job *job, uint32_t choice)
{
	struct lifetime_options options = {.inplace = m->options.inplace};
	struct graph *graph = NEW(&m->arena, struct graph, 1);
	struct schedule *schedule;

	if (!graph)
		return NULL;
	*graph = m->graph;
	schedule = mp_lifetime(
		graph, job->choices[choice], &options, &m->arena, &m->error);
	if (!schedule)
		return NULL;
	if (graph->solution)
		take_solution(schedule, graph->solution);
	if (!mp_street_check_fixed(m, &schedule->problem)) {
		mp_fail_at(&m->error, graph->name, graph->place);
		return NULL;
	}
	schedule->order_name =
		graph->claims.order ? graph->claims.order : job->winner;
	return name_bound(m, job, schedule) ? schedule : NULL;
}

/* The default effort is half a second. Problems of middling size are worth
 * more: what solves them repeats passes over all buffers. Very many buffers are
 * worth two of the cheapest passes. */
static uint64_t planning_steps(const memplan *m, uint32_t n_buffers)
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

struct job mp_street_job(memplan *m, const struct problem *problem)
{
	struct job job = {.problem = problem,
		.capacity = m->options.capacity,
		.seed = m->options.seed,
		.steps = planning_steps(m, problem->n_buffers),
		.threads = m->options.threads,
		.stop = &m->stop,
		.progress = m->on_progress ? mp_street_tell_progress : NULL,
		.progress_context = m,
		.arena = &m->arena,
		.error = &m->error,
		.verify = m->unverified ? take_as_is : mp_verify,
		.height = UINT64_MAX};

	if (m->options.time_limit > 0)
		job.deadline = mp_planner_job_now() + m->options.time_limit;
	job.best = NEW(&m->arena, uint64_t, problem->n_buffers);
	if (!mp_problem_bound(
		    problem, &job.lower_bound, &job.bound_kind, &m->arena))
		job.best = NULL;
	return job;
}

/* A plan read back keeps its offsets unless a planner is asked for by name, and
 * so do plans that were joined. */
static const struct planner *choose_planner(
	const memplan *m, const struct problem *problem)
{
	const char *name = mp_street_planner(m);

	if ((strcmp(name, "auto") == 0 || m->joined) &&
		mp_problem_is_given(problem))
		name = "given";
	return mp_planner_find(name);
}

bool mp_street_block(memplan *m, const struct problem *problem,
	uint64_t capacity, uint64_t steps, double deadline, struct job *job)
{
	const struct planner *row = choose_planner(m, problem);

	*job = mp_street_job(m, problem);
	job->running = row->name;
	job->capacity = capacity;
	job->steps = steps;
	if (deadline > 0)
		job->deadline = deadline;
	if (!job->best || row->run(job, row->variant) == PLAN_FAILED)
		return false;
	m->declined = job->declined;
	return true;
}

/* The better of two runs, in the first. */
static void merge_jobs(struct job *job, const struct job *other)
{
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

/* Rows that are given a capacity look for no other height. Where they find
 * none, the smallest plan is looked for, as without a capacity, so that what is
 * found without one is never said not to be found. */
static bool plan_block(memplan *m, const struct problem *problem,
	uint64_t steps, struct job *job)
{
	struct job smallest;

	if (!mp_street_block(m, problem, m->options.capacity, steps, 0, job))
		return false;
	if (job->height <= job->capacity || job->lower_bound > job->capacity ||
		job->cut_short || job->declined)
		return true;
	if (!mp_street_block(
		    m, problem, UINT64_MAX, steps, job->deadline, &smallest))
		return false;
	merge_jobs(job, &smallest);
	return true;
}

bool mp_street_plan(memplan *m, const struct problem *problem, uint32_t share,
	struct job *job)
{
	uint64_t steps = planning_steps(m, problem->n_buffers) / share;

	if (problem->pools)
		return mp_street_pools(m, problem, steps, job);
	return plan_block(m, problem, steps, job);
}

/* A bound that a search once proved cannot be derived again from the plan
 * alone; it is carried as the claim that it is. */
static void keep_claim(memplan *m)
{
	const struct claims *claims = &m->graph.claims;

	if (!claims->present || claims->arena_size != m->plan.arena_size ||
		claims->lower_bound <= m->plan.lower_bound ||
		claims->lower_bound > m->plan.arena_size)
		return;
	m->plan.lower_bound = claims->lower_bound;
	m->plan.bound_kind = BOUND_CLAIM;
}

static void keep_plan(memplan *m, const struct job *job)
{
	m->plan.offsets = job->best;
	m->plan.spaces = job->spaces;
	m->plan.lower_bound = num_min(job->lower_bound, job->height);
	m->plan.bound_kind = job->bound_kind;
	m->plan.bound_steps = job->bound_steps;
	m->plan.planner = job->winner;
	m->plan.cut_short = job->cut_short;
	m->has_plan = true;
	keep_claim(m);
}

static bool is_optimal(const memplan *m)
{
	return m->has_plan && m->plan.arena_size == m->plan.lower_bound;
}

void mp_street_keep(
	memplan *m, const struct schedule *schedule, const struct job *job)
{
	m->plan.schedule = schedule;
	m->plan.problem = &schedule->problem;
	m->plan.arena_size = job->height;
	m->results.schedule = schedule;
	if (job->height == UINT64_MAX)
		return;
	keep_plan(m, job);
	m->results.plan = &m->plan;
}

/* Plans one of the orders that the order stage hands over, and keeps the plan
 * if it is the smallest so far. */
static bool plan_choice(
	memplan *m, const struct order_job *order, uint32_t choice)
{
	struct schedule *schedule = mp_street_schedule(m, order, choice);
	struct job job;

	if (!schedule)
		return false;
	if (!mp_street_plan(m, &schedule->problem, order->n_choices, &job))
		return mp_fail_at(&m->error, m->graph.name, m->graph.place);
	if (choice == 0 || job.lower_bound < m->least_bound)
		m->least_bound = job.lower_bound;
	if (choice > 0 && job.height >= m->plan.arena_size)
		return true;
	mp_street_keep(m, schedule, &job);
	return true;
}

static bool plan_order(memplan *m, const struct order_job *order)
{
	double start = mp_planner_job_now();

	for (uint32_t i = 0; i < order->n_choices && !is_optimal(m); i++)
		if (!plan_choice(m, order, i))
			return false;
	m->plan.seconds = mp_planner_job_now() - start + m->joined_seconds;
	return mp_street_fits(m) &&
	       (!m->options.minimise_reuse || mp_street_spread(m));
}

/* The lifetimes of a plan are those of its order, and so are those of plans
 * that were joined. */
static bool check_row(memplan *m, const struct order_row *row)
{
	return !m->graph.claims.ops.at || row == mp_order_find("keep") ||
	       mp_fail(&m->error, MEMPLAN_EUSAGE,
		       "%s: a plan has the order that it has: plan the graph "
		       "again for another",
		       m->graph.place);
}

void mp_street_forget_run(memplan *m)
{
	m->plan = (struct plan){0};
	m->results = (struct results){0};
	m->has_plan = false;
	m->least_bound = 0;
	m->declined = NULL;
	m->misfit = MISFIT_NONE;
	m->misfit_why = NULL;
}

bool mp_street_walk(memplan *m)
{
	const struct order_row *row =
		mp_order_find(m->joined ? "keep" : m->options.order);
	struct order_job order;

	mp_street_forget_run(m);
	if (m->options.budget > 0)
		return mp_street_budget(m);
	return mp_street_read(m) && check_row(m, row) &&
	       mp_street_order(m, row, &order) && plan_order(m, &order);
}

enum memplan_status memplan_read(memplan *m)
{
	if (m->error.code == MEMPLAN_OK)
		mp_street_read(m);
	return m->error.code;
}

enum memplan_status memplan_plan(memplan *m)
{
	m->unverified = false;
	if (m->error.code == MEMPLAN_OK)
		mp_street_walk(m);
	return m->error.code;
}
