/*
 * What plans and reports say of the graphs of a bundle, and of the graphs that
 * one table serves.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/inside.h"

#include <assert.h>
#include <inttypes.h>

#include "emit/json-text.h"
#include "emit/report.h"

static void graph_json(struct sink *sink, const struct plan *plan, uint32_t i)
{
	const struct bundle_member *member =
		&plan->schedule->graph->bundle.members[i];
	struct extent shared, kept;

	assert(i < plan->schedule->graph->bundle.n);
	mp_plan_regions(plan, i, &shared, &kept);
	mp_emit_json_item(sink, i);
	mp_emit_json_text(sink, "{", "name", member->name);
	JSON_NUMBERS(sink, ", ", {"ops", member->n_ops},
		{"tensors", member->n_tensors}, {"base", shared.base},
		{"size", shared.size}, {"kept_base", kept.base},
		{"kept_size", kept.size});
	mp_sink_text(sink, "}");
}

void mp_emit_bundle_json(struct sink *sink, const struct plan *plan)
{
	const struct bundle *bundle = &plan->schedule->graph->bundle;

	if (bundle->n == 0)
		return;
	mp_emit_json_text(sink, JSON_LINE, "together",
		bundle->concurrent ? "concurrent" : "serial");
	mp_emit_json_open(sink, JSON_LINE, "graphs");
	for (uint32_t i = 0; i < bundle->n; i++)
		graph_json(sink, plan, i);
	mp_sink_text(sink, "\n  ]");
}

/* The table serves it too, so it needs no more than that. */
static uint64_t needed_alone(const struct plan *plan, uint32_t i)
{
	return num_min(
		plan->schedule->graph->buckets[i].alone, plan->arena_size);
}

/* A plan file says it, and no check has shown it. */
static bool is_claimed(const struct plan *plan, uint32_t i)
{
	const struct graph *graph = plan->schedule->graph;

	return graph->claims.present && !graph->buckets[i].proved;
}

void mp_emit_buckets_json(
	struct sink *sink, const struct plan *plan, bool claims)
{
	const struct graph *graph = plan->schedule->graph;

	if (graph->n_buckets == 0)
		return;
	mp_emit_json_open(sink, JSON_LINE, "buckets");
	for (uint32_t i = 0; i < graph->n_buckets; i++) {
		mp_emit_json_item(sink, i);
		mp_emit_json_text(sink, "{", "name", graph->buckets[i].name);
		mp_emit_json_number(
			sink, ", ", "arena_size_alone", needed_alone(plan, i));
		if (!claims && is_claimed(plan, i))
			mp_emit_json_bool(sink, ", ", "claimed", true);
		if (!claims && graph->buckets[i].least > 0)
			mp_emit_json_number(sink, ", ", "lower_bound_alone",
				graph->buckets[i].least);
		mp_sink_text(sink, "}");
	}
	mp_sink_text(sink, "\n  ]");
}

/* ------------------------------------------------------- for people */

/* In several memories there is no one place. */
static void graph_text(struct sink *sink, const struct plan *plan, uint32_t i)
{
	struct extent shared, kept;

	assert(i < plan->schedule->graph->bundle.n);
	mp_plan_regions(plan, i, &shared, &kept);
	mp_sink_print(sink, "               %s",
		mp_emit_bytes(shared.size + kept.size).text);
	if (!plan->spaces.at)
		mp_sink_print(sink, " at [%" PRIu64 ", %" PRIu64 ")",
			shared.base, shared.base + shared.size);
	if (!plan->spaces.at && kept.size > 0)
		mp_sink_print(sink, " and keeps [%" PRIu64 ", %" PRIu64 ")",
			kept.base, kept.base + kept.size);
	if (plan->spaces.at && kept.size > 0)
		mp_sink_print(sink, ", of which it keeps %" PRIu64, kept.size);
	mp_sink_print(sink, ": %s\n",
		mp_emit_plain(plan->schedule->graph->bundle.members[i].name)
			.text);
}

void mp_emit_bundle_text(struct sink *sink, const struct plan *plan)
{
	const struct bundle *bundle = &plan->schedule->graph->bundle;

	if (bundle->n == 0)
		return;
	mp_sink_print(sink, "  graphs       %u, %s\n", bundle->n,
		bundle->concurrent ? "concurrent: each has its own bytes"
				   : "serial: they share bytes");
	for (uint32_t i = 0; i < bundle->n; i++)
		graph_text(sink, plan, i);
}

void mp_emit_buckets_text(struct sink *sink, const struct plan *plan)
{
	const struct graph *graph = plan->schedule->graph;

	if (graph->n_buckets == 0)
		return;
	mp_sink_print(sink, "  buckets      %u, one table for all\n",
		graph->n_buckets);
	for (uint32_t i = 0; i < graph->n_buckets; i++) {
		uint64_t alone = needed_alone(plan, i);

		mp_sink_print(sink, "               %s alone%s",
			mp_emit_bytes(alone).text,
			is_claimed(plan, i) ? " as claimed" : "");
		if (alone < plan->arena_size)
			mp_sink_print(sink, ", %" PRIu64 " more with the table",
				plan->arena_size - alone);
		mp_sink_print(sink, ": %s\n",
			mp_emit_plain(graph->buckets[i].name).text);
	}
}

void mp_emit_buckets_verdict(struct sink *sink, const struct plan *plan)
{
	const struct graph *graph = plan->schedule->graph;

	for (uint32_t i = 0; i < graph->n_buckets; i++) {
		const struct bucket *bucket = &graph->buckets[i];

		mp_sink_print(sink, "  bucket %s alone: %s",
			mp_emit_plain(bucket->name).text,
			mp_emit_bytes(bucket->alone).text);
		if (bucket->proved)
			mp_sink_text(sink, ", derived again\n");
		else if (bucket->least > 0)
			mp_sink_print(sink, ", claimed, at least %s\n",
				mp_emit_bytes(bucket->least).text);
		else
			mp_sink_text(sink, ", claimed\n");
	}
}
