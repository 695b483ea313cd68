/*
 * Holds the plan of buckets against each of its graphs: the graph runs with its
 * own sizes and lifetimes at the offsets of the one table. What the plan says
 * that it takes alone is proved, refuted, or left as a claim.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "base/sink-text.h"

/* ------------------------------------------------------------ alone */

/* Index in the plan; n_buckets: it has none of that name. */
static uint32_t find_bucket(const struct graph *plan, const char *name)
{
	uint32_t i = 0;

	while (i < plan->n_buckets && strcmp(plan->buckets[i].name, name) != 0)
		i++;
	return i;
}

/* twin: that bucket on its places in the table, which it needs at most. */
static bool check_alone(memplan *m, const memplan *twin, uint32_t i,
	const struct graph *plan, struct bucket *bucket,
	enum memplan_status code)
{
	bucket->least = twin->own_least;
	bucket->proved = bucket->alone == bucket->least &&
			 bucket->alone == twin->plan.arena_size;
	return bucket->alone >= bucket->least ||
	       mp_fail(&m->error, code,
		       "%s: /buckets/%u/arena_size_alone: claims %llu, the "
		       "graph takes %llu or more",
		       plan->place, i, (unsigned long long)bucket->alone,
		       (unsigned long long)bucket->least);
}

/* ------------------------------------------------------------ check */

/* A handle of the same graph, so that the member keeps its own results. */
static memplan *twin_of(const memplan *member)
{
	memplan *twin = memplan_new();

	if (!twin)
		return NULL;
	twin->options = member->options;
	twin->arena.limit = member->arena.limit;
	twin->graph = member->graph;
	twin->before_policies = member->before_policies;
	twin->has_graph = true;
	return twin;
}

static bool check_bucket(memplan *m, const struct joined_handle *h,
	const struct graph *plan, struct bucket *buckets,
	enum memplan_status code)
{
	uint32_t i = find_bucket(plan, mp_street_bucket_name(h));
	memplan *twin = twin_of(h->member);
	struct run run;
	bool serves;

	if (!twin)
		return mp_fail(&m->error, MEMPLAN_ENOMEM, "out of memory");
	run = mp_street_member_run(m, twin, TOGETHER_BUCKETS);
	serves = mp_street_load(twin, &run) &&
		 mp_street_check_bucket(twin, &run, plan);
	if (!serves)
		mp_fail(&m->error,
			twin->error.code == MEMPLAN_NO ? code
						       : twin->error.code,
			"bucket '%.80s': %s", mp_street_bucket_name(h),
			twin->error.text);
	assert(i < plan->n_buckets);
	serves = serves && check_alone(m, twin, i, plan, &buckets[i], code);
	memplan_free(twin);
	return serves;
}

/* False if one of the joined handles does not run with that plan; the plan's
 * answer is then that code. buckets: those of the plan, to say what is known of
 * them. */
static bool check_buckets(memplan *m, const struct graph *plan,
	struct bucket *buckets, enum memplan_status code)
{
	assert(plan->n_buckets > 0);
	for (const struct joined_handle *h = m->joined; h; h = h->next)
		if (!check_bucket(m, h, plan, buckets, code))
			return false;
	return true;
}

static struct bucket *copy_buckets(memplan *m, const struct graph *plan)
{
	return mp_arena_copy(&m->run, plan->buckets, plan->n_buckets,
		sizeof(*plan->buckets));
}

/* Names of joined graphs are different. */
static bool check_names(memplan *m, const struct graph *plan)
{
	for (const struct joined_handle *h = m->joined; h; h = h->next)
		if (find_bucket(plan, mp_street_bucket_name(h)) ==
			plan->n_buckets)
			return mp_fail(&m->error, MEMPLAN_NO,
				"%s: none of its buckets is called '%.80s'",
				plan->place, mp_street_bucket_name(h));
	return m->n_joined == plan->n_buckets ||
	       mp_fail(&m->error, MEMPLAN_NO,
		       "%s: has %u bucket%s, to be checked with %u",
		       plan->place, plan->n_buckets,
		       mp_text_plural(plan->n_buckets), m->n_joined);
}

/* One graph that the table of another one is to serve too. */
static bool is_other(const memplan *m, const struct graph *plan)
{
	return m->n_joined == 1 && plan->n_buckets == 1 &&
	       find_bucket(plan, mp_street_bucket_name(m->joined)) == 1;
}

static bool check_other(memplan *m, const struct graph *plan)
{
	const memplan *member = m->joined->member;
	struct run run = mp_street_run(m);
	bool serves;

	run.graph = mp_street_shape(m, &member->graph, &run);
	m->before_policies = member->before_policies;
	serves = run.graph && mp_street_check_bucket(m, &run, plan);
	m->before_policies = NULL;
	return serves;
}

bool mp_street_check_table(memplan *m, memplan *plan, const struct graph *said)
{
	struct run run = mp_street_run(m);
	struct bucket *buckets = copy_buckets(m, said);
	struct graph *widest;

	if (is_other(m, said))
		return check_other(m, said);
	if (!buckets || !check_names(m, said) ||
		!check_buckets(m, said, buckets, MEMPLAN_NO))
		return false;
	widest = mp_street_widen(m);
	if (!widest)
		return false;
	widest->buckets = buckets;
	run.graph = widest;
	run.order = mp_order_find("keep");
	return mp_street_check_graph(m, &run, said, widest) &&
	       mp_street_check_same(m, plan);
}

/* ------------------------------------------------------------ prove */

/* Reads the plan as its file has it, so that nothing is believed that a
 * program that loads it could not know. */
static bool check_written(memplan *m, memplan *plan, const struct sink *sink)
{
	struct bucket *buckets;
	struct run given;

	if (memplan_input(plan, "graph", m->planned->name, sink->bytes,
		    sink->length) != MEMPLAN_OK)
		return mp_street_fail_like(m, plan);
	given = mp_street_run(plan);
	if (!mp_street_load(plan, &given))
		return mp_street_fail_like(m, plan);
	buckets = copy_buckets(m, given.graph);
	return buckets &&
	       check_buckets(m, given.graph, buckets, MEMPLAN_EINTERNAL);
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
