/*
 * The calls that check a plan, by itself or against its graphs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

enum memplan_status memplan_check(memplan *m)
{
	struct run run = mp_street_begin(m);

	mp_street_check_own(m, &run, NULL);
	return mp_street_end(m);
}

enum memplan_status memplan_take(memplan *m)
{
	struct run run = mp_street_begin(m);

	run.planner = mp_planner_find("given");
	run.unverified = true;
	mp_street_walk(m, &run);
	return mp_street_end(m);
}

static bool check_against(memplan *m, memplan *plan)
{
	struct run run = mp_street_begin(m), given = mp_street_run(plan);
	struct graph *copy;

	if (plan == m || plan->joined)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"the plan to be checked is one that was handed in");
	if (m->joined)
		return mp_street_check_joined(m, plan);
	if (!mp_street_load(plan, &given))
		return mp_street_fail_like(m, plan);
	if (!mp_street_load(m, &run))
		return false;
	if (given.graph->bundle.n > 0)
		return mp_street_check_member(
			m, &run, given.graph, run.graph->name);
	if (given.graph->n_buckets > 0)
		return mp_street_check_bucket(m, &run, given.graph);
	copy = mp_street_copy_graph(m, run.graph);
	return copy && mp_street_check_graph(m, &run, given.graph, copy) &&
	       mp_street_check_same(m, plan);
}

enum memplan_status memplan_check_against(memplan *graph, memplan *plan)
{
	mp_street_call(&plan->sink);
	check_against(graph, plan);
	return mp_street_end(graph);
}
