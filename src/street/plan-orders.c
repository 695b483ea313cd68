/*
 * Plans a graph in the orders of the order stage, and keeps the smallest plan.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

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

/* What planning an order has found so far. */
struct tried {
	struct first_plan plan; /* its last one */
	bool enough; /* more work is of no use, as most of it was left; the
			shares of auto depend on it */
};

/* Plans a schedule with a share of the work, and keeps the plan if it is the
 * smallest so far. */
static bool plan_schedule(memplan *m, const struct run *run,
	struct schedule *schedule, uint32_t share, struct tried *tried)
{
	struct job job;
	uint64_t bound;

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

/* May something refer to what was made of the schedule? Pools leave a sentence
 * that says why they do not fit. */
static bool is_used(const memplan *m, const struct schedule *schedule)
{
	return m->first == &schedule->problem || m->brief == schedule ||
	       m->plan.schedule == schedule || schedule->problem.pools;
}

/* Plans one of the orders of the order stage; see above. */
static bool plan_choice(memplan *m, const struct run *run,
	const struct order_job *order, uint32_t choice, uint32_t share,
	struct tried *tried)
{
	struct arena_mark mark = mp_arena_mark(&m->run);
	struct schedule *schedule =
		mp_street_brief_schedule(m, run, order, choice);
	bool moved = false;

	/* The offsets and lifetimes of joined plans are fixed, but the plans
	 * may not fit together. */
	if (!schedule || (run->layout && !mp_street_replan_joined(
						 m, run, schedule, &moved)))
		return false;
	if (moved)
		schedule = mp_street_schedule(m, run, order, choice);
	if (!schedule || !plan_schedule(m, run, schedule, share, tried))
		return false;
	if (!is_used(m, schedule))
		mp_arena_rewind(&m->run, mark);
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
