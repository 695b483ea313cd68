/*
 * Holds the plan of buckets against each of its graphs: the graph runs with its
 * own sizes and lifetimes at the offsets of the one table.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>

/* ------------------------------------------------------------ check */

/* A handle of the same graph, so that the part keeps its own results. */
static memplan *twin_of(const memplan *part)
{
	memplan *twin = memplan_new();

	if (!twin)
		return NULL;
	twin->options = part->options;
	twin->arena.limit = part->arena.limit;
	twin->graph = part->graph;
	twin->before_policies = part->before_policies;
	twin->has_graph = true;
	return twin;
}

static bool check_bucket(memplan *m, const struct joined_handle *h,
	const struct graph *plan, enum memplan_status code)
{
	memplan *twin = twin_of(h->part);
	struct run run;
	bool serves;

	if (!twin)
		return mp_fail(&m->error, MEMPLAN_ENOMEM, "out of memory");
	run = mp_street_part_run(m, twin, TOGETHER_BUCKETS);
	serves = mp_street_load(twin, &run) &&
		 mp_street_check_bucket(twin, &run, plan);
	if (!serves)
		mp_fail(&m->error,
			twin->error.code == MEMPLAN_NO ? code
						       : twin->error.code,
			"bucket '%.80s': %s", mp_street_bucket_name(h),
			twin->error.text);
	memplan_free(twin);
	return serves;
}

bool mp_street_check_buckets(
	memplan *m, const struct graph *plan, enum memplan_status code)
{
	assert(plan->n_buckets > 0);
	for (const struct joined_handle *h = m->joined; h; h = h->next)
		if (!check_bucket(m, h, plan, code))
			return false;
	return true;
}

/* ------------------------------------------------------------ prove */

/* Reads the plan as its file has it, so that nothing is believed that a
 * program that loads it could not know. */
static bool check_written(memplan *m, memplan *plan, const struct sink *sink)
{
	struct run given;

	if (memplan_input(plan, "graph", m->planned->name, sink->bytes,
		    sink->length) != MEMPLAN_OK)
		return mp_street_fail_like(m, plan);
	given = mp_street_run(plan);
	if (!mp_street_load(plan, &given))
		return mp_street_fail_like(m, plan);
	return mp_street_check_buckets(m, given.graph, MEMPLAN_EINTERNAL);
}

bool mp_street_prove_buckets(memplan *m)
{
	struct sink sink = {.error = &m->error, .limit = m->sink.limit};
	memplan *plan = memplan_new();
	bool proved = false;

	assert(m->has_plan && m->planned->n_buckets > 0);
	if (plan) {
		mp_emit_find("plan")->run(&m->results, &sink, &m->run);
		proved = sink.error->code == MEMPLAN_OK &&
			 check_written(m, plan, &sink);
	} else {
		mp_fail(&m->error, MEMPLAN_ENOMEM, "out of memory");
	}
	memplan_free(plan);
	mp_sink_free(&sink);
	return proved;
}
