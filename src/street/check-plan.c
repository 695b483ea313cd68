/*
 * The calls that check a plan, by itself or against its graphs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include "base/sink-text.h"
#include "proof/proof.h"

/* A plan does not say all that its ops wait for. */
static void warn_of_order(memplan *m)
{
	const struct input_file *proof = &m->input.files[ROLE_PROOF];

	if (proof->name && mp_proof_has_order(proof->bytes, proof->length))
		mp_warn(&m->error,
			"%s: what it proves of the order is not looked at "
			"without the graph",
			proof->name);
}

enum memplan_status memplan_check(memplan *m)
{
	struct run run = mp_street_begin(m);

	if (mp_street_check_own(m, &run, NULL))
		warn_of_order(m);
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

/* A proof is of the one problem of all graphs, and of their order. A graph is
 * checked as one of several, also if it is the only one. */
static bool check_proof_goes_with_one(memplan *m, const struct graph *plan)
{
	const struct input_file *proof = &m->input.files[ROLE_PROOF];
	uint32_t n = plan->bundle.n + plan->n_buckets;

	return n == 0 || !proof->name ||
	       mp_fail(&m->error, MEMPLAN_EUSAGE,
		       "%s: the proof is of the %u %s%s of the plan%s the plan "
		       "alone",
		       proof->name, n, plan->n_buckets > 0 ? "bucket" : "graph",
		       mp_text_plural(n),
		       n > 1 ? " together: check it with all of them, or with"
			     : ": check it with");
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
	if (!check_proof_goes_with_one(m, given.graph) ||
		!mp_street_load(m, &run))
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
