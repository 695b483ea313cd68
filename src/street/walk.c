/*
 * Walks the street: reads the input, or joins planned handles, then calls the
 * stages in turn. No stage calls this file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "bundle/bundle.h"
#include "verify/verify.h"

/* ------------------------------------------------------------- read */

/* A tensor that is placed anew may lie in any pool. */
static bool take_options(memplan *m)
{
	const char *name = m->options.name;

	if (name[0])
		m->graph.name = mp_arena_text(&m->arena, name, strlen(name));
	if (!m->graph.name)
		return false;
	if (m->graph.claims.present &&
		!mp_graph_find_pairs(&m->graph, &m->arena))
		return false;
	if (m->options.replan && !mp_graph_forget_offsets(&m->graph, &m->arena))
		return false;
	return m->options.pools[0] == '\0' ||
	       mp_street_pool_option(
		       &m->graph, m->options.pools, &m->arena, &m->error);
}

static bool read_input(memplan *m)
{
	double start = mp_planner_job_now();
	const struct options *options = &m->options;
	struct input *input = &m->input;

	if (m->has_graph)
		return true;
	if (!input->files[ROLE_MAIN].name)
		return mp_fail(&m->error, MEMPLAN_EUSAGE, "no input given");
	input->graph = options->graph[0] ? options->graph : NULL;
	input->dims = options->dims[0] ? options->dims : NULL;
	input->values = options->values[0] ? options->values : NULL;
	input->shapes = options->shapes[0] ? options->shapes : NULL;
	input->views = options->views;
	input->keeps_constants = options->keeps_constants;
	input->target = mp_graph_target_find(options->target);
	input->variables_inside = options->variables_inside;
	input->alignment = options->align;
	if (input->alignment == 0 && input->target)
		input->alignment = input->target->alignment;
	m->graph = (struct graph){0};
	m->has_graph = mp_input_read(input, &m->graph, &m->arena, &m->error) &&
		       mp_street_read_near(m) && mp_street_apply_policies(m) &&
		       mp_graph_link(&m->graph, &m->arena, &m->error) &&
		       mp_graph_constrain(&m->graph, &m->arena, &m->error) &&
		       mp_bundle_check_order(&m->graph, &m->arena, &m->error) &&
		       take_options(m);
	m->read_seconds = mp_planner_job_now() - start;
	m->results.read_seconds = m->read_seconds;
	m->n_read_warnings = m->error.n_warnings;
	if (!m->has_graph) /* the caller may have freed the bytes */
		mp_street_forget_input(m);
	return m->has_graph;
}

bool mp_street_fail_like(memplan *m, const memplan *other)
{
	mp_fail(&m->error, other->error.code, "%s", other->error.text);
	m->error.line = other->error.line;
	m->error.column = other->error.column;
	return false;
}

/* An error of a member is the error of the bundle. */
static bool plan_member(memplan *m, memplan *member)
{
	struct run run;

	assert(member->has_graph && !member->joined);
	run = mp_street_member_run(m, member, m->options.together);
	if (mp_street_walk(member, &run))
		return true;
	mp_street_end(member);
	return mp_street_fail_like(m, member);
}

static bool join_members(memplan *m, struct run *run)
{
	if (!mp_street_check_joins(m))
		return false;
	for (const struct joined_handle *h = m->joined; h; h = h->next)
		if ((!h->has_plan && !plan_member(m, h->member)) ||
			!mp_street_unfold(h->member))
			return false;
	if (mp_street_has_buckets(m)) {
		run->graph = mp_street_check_bucket_orders(m)
				     ? mp_street_widen(m)
				     : NULL;
		return run->graph != NULL;
	}
	if (!mp_street_compare_batches(m))
		return false;
	run->layout = mp_street_join(m, NULL);
	run->graph = run->layout ? &run->layout->graph : NULL;
	return run->layout != NULL;
}

bool mp_street_load(memplan *m, struct run *run)
{
	assert(!run->graph);
	if (m->options.same[0] && (!m->joined || mp_street_has_buckets(m)))
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"same-offsets is for several graphs that go together, "
			"serial or concurrent");
	if (m->joined)
		return join_members(m, run);
	if (!read_input(m))
		return false;
	if (m->graph.wanting && !run->looks)
		return mp_fail(&m->error, MEMPLAN_EINPUT, "%s: %s",
			m->graph.place, m->graph.wanting);
	run->graph = mp_street_shape(m, &m->graph, run);
	return run->graph != NULL;
}

/* ------------------------------------------------------------- plan */

/* No plan of the problem is smaller than the plan that there is. */
static bool is_hopeless(const memplan *m, const struct problem *problem)
{
	return m->has_plan && !problem->pools &&
	       problem->theoretical_min >= m->plan.arena_size;
}

/* Does nothing but a planner that goes by buffers look at the problem? */
static bool may_be_brief(
	const memplan *m, const struct run *run, const struct problem *problem)
{
	return run->brief && run->capacity == UINT64_MAX && !run->prices &&
	       !run->layout && !m->near && !m->options.minimise_reuse &&
	       !m->options.minimise_banks &&
	       mp_planner_takes_brief(run->planner, problem);
}

/* Is it the smallest so far, or as small and better proved in its order? */
static bool is_better(const memplan *m, const struct schedule *schedule,
	const struct job *job)
{
	const struct plan *plan = &m->plan;

	return !m->has_plan || job->height < plan->arena_size ||
	       (job->height == plan->arena_size &&
		       job->lower_bound > plan->lower_bound &&
		       schedule->order == plan->schedule->order);
}

/* How an order did. */
struct tried {
	struct first_plan plan; /* its last one */
	bool enough; /* more work is of no use, as most of it was left; the
			shares of auto depend on it */
};

/* Plans one of the orders of the order stage with a share of the work, and
 * keeps the plan if it is the smallest so far. */
static bool plan_choice(memplan *m, const struct run *run,
	const struct order_job *order, uint32_t choice, uint32_t share,
	struct tried *tried)
{
	struct schedule *schedule =
		mp_street_brief_schedule(m, run, order, choice);
	bool moved = false;
	struct job job;
	uint64_t bound;

	/* The offsets and lifetimes of joined plans are fixed, but the plans
	 * may not fit together. */
	if (!schedule || (run->layout && !mp_street_replan_joined(
						 m, run, schedule, &moved)))
		return false;
	if (moved)
		schedule = mp_street_schedule(m, run, order, choice);
	if (!schedule)
		return false;
	if (!m->first)
		m->first = &schedule->problem;
	*tried = (struct tried){
		{UINT64_MAX, 0}, is_hopeless(m, &schedule->problem)};
	if (tried->enough)
		return true;
	if (!may_be_brief(m, run, &schedule->problem) &&
		!mp_schedule_unfold(schedule, &m->run))
		return false;
	if (!mp_street_plan(m, run, &schedule->problem, share, &job))
		return mp_graph_fail_at(run->graph, &m->error);
	tried->plan = (struct first_plan){job.height, job.lower_bound};
	tried->enough = job.steps > job.spent &&
			run->planner != mp_planner_find("auto");
	bound = mp_street_least(&schedule->problem, &job);
	if (mp_schedule_pairs_bound(schedule) > 0)
		bound = num_min(bound, mp_schedule_pairs_bound(schedule));
	if (!m->has_plan || bound < m->found.least_bound)
		m->found.least_bound = bound;
	if (is_better(m, schedule, &job))
		mp_street_keep(m, run, schedule, &job);
	if (!schedule->problem.parts)
		m->brief = schedule;
	return true;
}

/* No order that is left has a smaller plan: none has a lower peak, and that is
 * its least load. With several streams or pools, or where peaks are estimates,
 * another order may have a smaller minimum. */
static bool is_least(const memplan *m, const struct run *run)
{
	return m->has_plan && mp_plan_is_optimal(&m->plan) &&
	       run->graph->n_streams <= 1 && run->graph->n_pools == 0 &&
	       mp_order_fold_is_exact(run->graph);
}

/* The order that keep or search alone would have. */
static bool is_promised(const struct order_job *order, uint32_t choice)
{
	const uint32_t *at = order->alternatives[choice];

	return at == order->kept || at == order->searched;
}

/* The order with the smallest plan; of several, one that gets all of the work
 * anyway. */
static uint32_t best_of(
	const struct order_job *order, const struct tried *tried)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < order->n_alternatives; i++)
		if (tried[i].plan.height < tried[best].plan.height ||
			(tried[i].plan.height == tried[best].plan.height &&
				is_promised(order, i) &&
				!is_promised(order, best)))
			best = i;
	return best;
}

/* Every order gets a glance: the cheap rows and, if it is small, a little of
 * the others. They tell well which order packs best, and that one gets all of
 * the work, if its row has a use for it. So do the orders of keep and search,
 * unless their loads are too high: no plan is larger than with one of the two
 * alone. */
static bool plan_choices(memplan *m, const struct run *run,
	const struct order_job *order, struct tried *tried)
{
	enum {
		GLANCE = 20 /* this part of the work: 50 steps a buffer of
			       10,000 or more */
	};
	uint32_t n = order->n_alternatives, best;

	for (uint32_t i = 0; i < n; i++)
		tried[i] = (struct tried){{UINT64_MAX, 0}, false};
	for (uint32_t i = 0; i < n && n > 1 && !is_least(m, run); i++)
		if (!plan_choice(m, run, order, i, GLANCE, &tried[i]))
			return false;
	best = best_of(order, tried);
	for (uint32_t i = 0; i < n && !is_least(m, run); i++)
		if (!tried[i].enough &&
			(i == best || is_promised(order, i) || !m->has_plan) &&
			!plan_choice(m, run, order, i, 1, &tried[i]))
			return false;
	return true;
}

/* Keep or search alone would choose pairs in its own order, from the plan that
 * all of the work found: where that is not the plan that was kept, they are
 * chosen there too. */
static bool choose_pairs(memplan *m, const struct run *run,
	const struct order_job *order, const struct tried *tried)
{
	const uint32_t *chosen = m->has_plan ? m->plan.schedule->order : NULL;
	uint64_t kept = m->plan.arena_size;

	if (!mp_street_choose_pairs(m, run, order))
		return false;
	for (uint32_t i = 0; chosen && i < order->n_alternatives; i++)
		if (is_promised(order, i) &&
			tried[i].plan.height != UINT64_MAX &&
			(order->alternatives[i] != chosen ||
				tried[i].plan.height != kept) &&
			!is_least(m, run) &&
			!mp_street_choose_pairs_in(
				m, run, order, i, &tried[i].plan))
			return false;
	return true;
}

bool mp_street_plan_orders(memplan *m, const struct run *run)
{
	struct tried tried[ORDER_ALTERNATIVES];
	struct order_job order;
	double start;

	/* A plan has the lifetimes of its own order, and so have joined plans.
	 */
	if (run->graph->claims.ops.at && run->order != mp_order_find("keep"))
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"%s: a plan has the order that it has: plan the graph "
			"again for another",
			run->graph->place);
	if (!mp_street_order(m, run, run->order, &order) ||
		!mp_street_fit_orders(m, run, &order))
		return false;
	start = mp_planner_job_now();
	if (!plan_choices(m, run, &order, tried) ||
		!choose_pairs(m, run, &order, tried))
		return false;
	m->plan.seconds = mp_planner_job_now() - start;
	if (run->layout)
		m->plan.seconds += run->layout->seconds;
	return mp_street_fits(m, run) &&
	       (!run->prices || mp_street_price_pairs(m, run, &order));
}

/* What is wrong is an answer, an error of the plan that was read, or one of
 * memplan. */
static bool verify_same(memplan *m, const struct run *run)
{
	enum memplan_status code = run->judges ? MEMPLAN_NO
				   : run->layout && !run->layout->stays
					   ? MEMPLAN_EINTERNAL
					   : MEMPLAN_EINPUT;

	return mp_verify_same(&m->plan, code, &m->arena, &m->error);
}

/* Of the first names; more would be cut. */
static void warn_of_starved(memplan *m)
{
	enum {
		NAMES = 256
	};
	uint64_t starved = m->found.starved;
	char names[NAMES] = "";
	size_t at = 0;

	for (uint32_t i = 0; i < mp_n_planners && at < NAMES; i++)
		if (starved >> i & 1)
			at += (size_t)snprintf(names + at, NAMES - at, "%s'%s'",
				at ? ", " : "", mp_planners[i].name);
	if (starved)
		mp_warn(&m->error,
			"out of memory for planner%s %s%s: with more the plan "
			"may be smaller",
			starved & (starved - 1) ? "s" : "", names,
			at < NAMES ? "" : "...");
}

/* An option that changes a search, where there was none: orders, budgets and
 * what moves buffers later take it too. NULL: none is given. */
static const char *idle_in_search(const memplan *m)
{
	const struct options *o = &m->options;

	if (!m->found.keeps || m->joined || m->near || o->minimise_reuse ||
		o->minimise_banks || o->budget > 0 ||
		strcmp(o->order, "keep") != 0)
		return NULL;
	if (o->steps_given)
		return o->by_effort ? "effort" : "steps";
	return o->seed != 1 ? "seed" : NULL;
}

/* Buckets are planned as one graph is. */
static bool is_of_many(const memplan *m)
{
	return m->joined && !mp_street_has_buckets(m);
}

/* A graph that the bundle has planned, and so by its options; else the handle
 * itself. idle: those that have nothing to work on in all such graphs. */
static const memplan *find_planned(const memplan *m, unsigned *idle)
{
	const memplan *first = NULL;

	*idle = 0;
	if (!is_of_many(m))
		return m;
	for (const struct joined_handle *h = m->joined; h; h = h->next) {
		if (h->has_plan)
			continue;
		*idle = first ? *idle & h->member->found.idle
			      : h->member->found.idle;
		first = first ? first : h->member;
	}
	return first ? first : m;
}

/* Options that have nothing to work on. What graphs were given together is said
 * once, by the bundle, and only if no graph has work for it. */
static void warn_of_idle(memplan *m, const struct run *run)
{
	unsigned idle;
	const memplan *from = find_planned(m, &idle);
	const struct options *o = &from->options;
	const struct graph *g = run->graph;
	const char *in_search = idle_in_search(from);
	const struct {
		const char *option, *why;
		bool is_idle;
	} rows[] = {
		{in_search,
			"the offsets that are in it stay, unless replan or a "
			"planner is given",
			in_search},
		{"minimise-banks", "no pool has banks",
			o->minimise_banks &&
				!mp_graph_has_banks(g->pools, g->n_pools)},
		{"cross-stream-first", "all ops are on one stream",
			o->cross_stream_first && o->minimise_reuse &&
				g->n_streams <= 1},
	};

	for (unsigned i = 0; i < countof(rows); i++) {
		if (!is_of_many(m) && !run->unverified && rows[i].is_idle)
			idle |= 1u << i;
		if (run->caller == m && idle >> i & 1)
			mp_warn(&m->error,
				"%s: the option %s does nothing here: %s",
				g->place, rows[i].option, rows[i].why);
	}
	m->found.idle = idle;
}

bool mp_street_walk(memplan *m, struct run *run)
{
	bool planned, fine;

	assert(!m->has_plan);
	if ((!run->graph && !mp_street_load(m, run)) ||
		!mp_street_check_near(m))
		return false;
	assert(run->graph);
	m->planned = run->graph;
	m->unverified = run->unverified;
	planned = m->options.budget > 0 ? mp_street_fit_budget(m, run)
					: mp_street_plan_orders(m, run);
	fine = planned && (!m->near || mp_street_stay_near(m, run)) &&
	       (!m->options.minimise_reuse || mp_street_spread(m, run)) &&
	       (!m->options.minimise_banks || mp_street_minimise_banks(m, run));
	warn_of_starved(m);
	warn_of_idle(m, run);
	if (!fine)
		return false;
	mp_street_count_cost(m);
	mp_arena_trim(&m->run); /* what planners took: writers take as much */
	return mp_street_count_banks(m) && verify_same(m, run);
}

/* ------------------------------------------------------ public face */

enum memplan_status memplan_read(memplan *m)
{
	struct run run;

	mp_street_call(&m->sink);
	if (m->planned)
		return MEMPLAN_OK;
	run = mp_street_run(m);
	run.looks = true;
	if (mp_street_load(m, &run))
		m->planned = run.graph;
	return m->error.code;
}
