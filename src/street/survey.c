/*
 * Measures every row of the order table on a graph. There is no plan after it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>

bool mp_street_survey(memplan *m, const struct run *run,
	const struct order_row *row, struct order_result *result)
{
	struct arena_mark mark = mp_arena_mark(&m->run);
	double start = mp_planner_job_now();
	const struct schedule *schedule;
	struct order_job job;

	assert(run->graph);
	if (!mp_street_order(m, run, row, &job))
		return false;
	result->seconds = mp_planner_job_now() - start;
	schedule = mp_street_schedule(m, run, &job, 0);
	if (!schedule)
		return false;
	result->name = row->name;
	result->peak = schedule->problem.theoretical_min;
	result->lower_bound = job.bound.bytes;
	result->bound_kind = job.bound.kind;
	if (!mp_order_moved(job.alternatives[0], run->graph->n_ops,
		    &result->moved, &m->run))
		return false;
	if (!m->first && mp_problem_over_timings(&schedule->problem))
		m->first = &schedule->problem;
	else
		mp_arena_rewind(&m->run, mark);
	return true;
}

/* Above that many ops, rows that search are left out unless they are asked for:
 * on 30,000 ops they take up to 8 s, the others a second together. */
enum {
	SEARCHED_OPS = 20000
};

static bool takes_time(const memplan *m, const struct graph *graph)
{
	return m->options.orders || graph->n_ops <= SEARCHED_OPS;
}

static bool survey_rows(memplan *m, const struct run *run)
{
	struct results *results = &m->results;
	uint32_t n = run->graph->n_ops ? mp_n_orders : 1;
	bool all = takes_time(m, run->graph);

	for (uint32_t i = 0; i < n; i++) {
		if (!all && !mp_orders[i].in_portfolio) {
			results->n_orders_left++;
			continue;
		}
		if (!mp_street_survey(m, run, &mp_orders[i],
			    &results->orders[results->n_orders++]))
			return false;
	}
	return true;
}

/* Only a plan says which in-place pairs are taken; here it is of no other use.
 */
static bool price_pairs(memplan *m, struct run run)
{
	struct results surveyed = m->results;
	const struct schedule *s = surveyed.schedule;

	if (mp_schedule_pairs_bound(s) == 0 || run.graph->wanting ||
		run.layout || mp_problem_is_given(&s->problem) ||
		!takes_time(m, run.graph))
		return true;
	run.looks = false;
	run.prices = true;
	run.capacity = UINT64_MAX;
	if (!mp_street_plan_orders(m, &run))
		return false;
	surveyed.prices = m->results.prices;
	m->results = surveyed;
	m->plan = (struct plan){0};
	m->found = (struct findings){0};
	m->has_plan = false;
	return true;
}

static bool survey(memplan *m)
{
	struct run run = mp_street_begin(m);
	struct order_job order;

	run.looks = true;
	m->results.orders = NEW(&m->run, struct order_result, mp_n_orders);
	if (!m->results.orders || !mp_street_load(m, &run) ||
		!survey_rows(m, &run))
		return false;
	m->planned = run.graph;
	if (!mp_street_order(m, &run, run.order, &order) ||
		!mp_street_fit_orders(m, &run, &order))
		return false;
	m->results.schedule = mp_street_schedule(m, &run, &order, 0);
	if (!m->results.schedule)
		return false;
	if (!mp_street_check_fixed(m, &run, &m->results.schedule->problem))
		return mp_graph_fail_at(run.graph, &m->error);
	return price_pairs(m, run);
}

enum memplan_status memplan_survey(memplan *m)
{
	survey(m);
	return mp_street_end(m);
}
