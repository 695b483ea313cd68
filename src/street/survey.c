/*
 * Looks at a graph under every order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

bool mp_street_survey(
	memplan *m, const struct order_row *row, struct order_result *result)
{
	struct arena_mark mark = mp_arena_mark(&m->arena);
	double start = mp_planner_job_now();
	struct order_job job;
	struct problem problem;

	if (!mp_street_order(m, row, &job))
		return false;
	result->seconds = mp_planner_job_now() - start;
	if (!mp_street_problem(m, &job, 0, &problem))
		return false;
	result->name = row->name;
	result->peak = problem.theoretical_min;
	result->lower_bound = job.lower_bound;
	result->bound_kind = job.bound_kind;
	if (!mp_order_moved(
		    job.choices[0], m->graph.n_ops, &result->moved, &m->arena))
		return false;
	mp_arena_rewind(&m->arena, mark);
	return true;
}

/* Above that, rows that search are left out unless they are asked for: on
 * 30,000 ops they take up to 8 s, the others a second together. */
enum {
	SEARCHED_OPS = 20000
};

static bool is_left(const memplan *m, const struct order_row *row)
{
	return !row->in_portfolio && !m->options.orders &&
	       m->graph.n_ops > SEARCHED_OPS;
}

static bool survey_rows(memplan *m)
{
	struct plan *plan = &m->plan;
	uint32_t n = m->graph.n_ops ? mp_n_orders : 1;

	for (uint32_t i = 0; i < n; i++) {
		if (is_left(m, &mp_orders[i])) {
			plan->n_orders_left++;
			continue;
		}
		if (!mp_street_survey(
			    m, &mp_orders[i], &plan->orders[plan->n_orders++]))
			return false;
	}
	return true;
}

static bool survey(memplan *m)
{
	struct order_job order;

	m->plan.orders = NEW(&m->arena, struct order_result, mp_n_orders);
	if (!m->plan.orders || !mp_street_read(m) || !survey_rows(m))
		return false;
	m->plan.problem = &m->problem;
	return mp_street_order(m, mp_order_find(m->options.order), &order) &&
	       mp_street_problem(m, &order, 0, &m->problem);
}

enum memplan_status memplan_survey(memplan *m)
{
	mp_street_begin(m);
	survey(m);
	return mp_street_end(m);
}
