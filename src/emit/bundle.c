/*
 * What plans and reports say of the graphs of a bundle.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/inside.h"

#include <assert.h>

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

/* ------------------------------------------------------- for people */

static void range(struct sink *sink, const struct extent *extent)
{
	mp_sink_print(sink, " [%llu, %llu)", (unsigned long long)extent->base,
		(unsigned long long)(extent->base + extent->size));
}

static void ranges(struct sink *sink, const struct extent *shared,
	const struct extent *kept)
{
	mp_sink_text(sink, " at");
	range(sink, shared);
	if (kept->size == 0)
		return;
	mp_sink_text(sink, " and keeps");
	range(sink, kept);
}

/* In several memories there is no one place. */
static void kept_text(struct sink *sink, uint64_t kept)
{
	if (kept > 0)
		mp_sink_print(sink, ", of which it keeps %llu",
			(unsigned long long)kept);
}

static void graph_text(struct sink *sink, const struct plan *plan, uint32_t i)
{
	struct extent shared, kept;

	assert(i < plan->schedule->graph->bundle.n);
	mp_plan_regions(plan, i, &shared, &kept);
	mp_emit_report_label(sink, "");
	mp_sink_bytes(sink, shared.size + kept.size);
	if (plan->spaces.at)
		kept_text(sink, kept.size);
	else
		ranges(sink, &shared, &kept);
	mp_sink_text(sink, ": ");
	mp_sink_plain(sink, plan->schedule->graph->bundle.members[i].name,
		REPORT_NAME);
	mp_sink_text(sink, "\n");
}

void mp_emit_bundle_text(struct sink *sink, const struct plan *plan)
{
	const struct bundle *bundle = &plan->schedule->graph->bundle;

	if (bundle->n == 0)
		return;
	mp_emit_report_label(sink, "graphs");
	mp_sink_print(sink, "%u, %s\n", bundle->n,
		bundle->concurrent ? "concurrent: each has its own bytes"
				   : "serial: they share bytes");
	for (uint32_t i = 0; i < bundle->n; i++)
		graph_text(sink, plan, i);
}
