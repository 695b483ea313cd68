/*
 * Looks at a graph under every order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "handle.h"

bool mp_street_survey(
	memplan *m, const struct order_row *row, struct order_result *result)
{
	struct arena_mark mark = mp_arena_mark(&m->arena);
	double start = mp_job_now();
	struct order_job job;
	struct problem problem;

	if (!mp_street_order(m, row, &job))
		return false;
	result->seconds = mp_job_now() - start;
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

static bool survey(memplan *m)
{
	struct order_job order;

	m->plan.orders = NEW(&m->arena, struct order_result, mp_n_orders);
	if (!m->plan.orders || !mp_street_read(m))
		return false;
	m->plan.n_orders = m->graph.n_ops ? mp_n_orders : 1;
	for (uint32_t i = 0; i < m->plan.n_orders; i++)
		if (!mp_street_survey(m, &mp_orders[i], &m->plan.orders[i]))
			return false;
	m->plan.problem = &m->problem;
	return mp_street_order(m, mp_order_find(m->options.order), &order) &&
	       mp_street_problem(m, &order, 0, &m->problem);
}

enum memplan_status memplan_survey(memplan *m)
{
	if (m->error.code == MEMPLAN_OK)
		survey(m);
	return m->error.code;
}
