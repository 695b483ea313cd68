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
	const struct schedule *schedule;
	struct order_job job;

	if (!mp_street_order(m, row, &job))
		return false;
	result->seconds = mp_planner_job_now() - start;
	schedule = mp_street_schedule(m, &job, 0);
	if (!schedule)
		return false;
	result->name = row->name;
	result->peak = schedule->problem.theoretical_min;
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
	struct results *results = &m->results;
	uint32_t n = m->graph.n_ops ? mp_n_orders : 1;

	for (uint32_t i = 0; i < n; i++) {
		if (is_left(m, &mp_orders[i])) {
			results->n_orders_left++;
			continue;
		}
		if (!mp_street_survey(m, &mp_orders[i],
			    &results->orders[results->n_orders++]))
			return false;
	}
	return true;
}

static bool survey(memplan *m)
{
	struct order_job order;

	mp_street_forget_run(m);
	m->results.orders = NEW(&m->arena, struct order_result, mp_n_orders);
	if (!m->results.orders || !mp_street_read(m) || !survey_rows(m) ||
		!mp_street_order(m, mp_order_find(m->options.order), &order))
		return false;
	m->results.schedule = mp_street_schedule(m, &order, 0);
	return m->results.schedule != NULL;
}

enum memplan_status memplan_survey(memplan *m)
{
	if (m->error.code == MEMPLAN_OK)
		survey(m);
	return m->error.code;
}
