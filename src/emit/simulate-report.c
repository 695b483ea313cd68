/*
 * simulate: what online allocators would have used, beside the plan; for
 * people, as JSON, and over the steps as CSV.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <inttypes.h>

#include "emit/json-text.h"
#include "emit/report.h"
#include "emit/rows.h"

/* ------------------------------------------------------- for people */

/* Digits of a percentage end in one column up to 100.0 %. */
static void line(
	struct sink *cells, const struct plan *plan, const struct simulation *s)
{
	assert(s->largest_free <= s->free);
	mp_sink_print(cells, "%s\t%" PRIu64 "\t", s->name, s->reserved);
	mp_sink_ratio(cells, s->reserved, plan->problem->theoretical_min, 3);
	mp_sink_print(cells, "\t%" PRIu64 "\t%" PRIu64 "\t%s %%\t%u\t%u\n",
		s->in_use, s->high_water,
		mp_emit_percent(
			s->free - s->largest_free, s->free ? s->free : 1)
			.text,
		s->requests, s->regions);
}

static void refusal(struct sink *sink, const struct schedule *schedule,
	const struct simulation *s)
{
	if (s->refused == 0)
		return;
	mp_sink_print(sink,
		"\n  %s refuses %" PRIu64 " byte%s at %s %" PRId64
		": it may hold no more\n",
		s->name, s->refused, mp_text_plural(s->refused),
		mp_problem_axis(&schedule->problem),
		mp_problem_time(&schedule->problem, s->refused_at));
}

void mp_emit_simulate(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	static const struct column columns[] = {{2, 0, true}, {2, 0, false},
		{2, 0, false}, {2, 0, false}, {2, 0, false}, {2, 0, false},
		{2, 0, false}, {2, 0, false}};
	const struct schedule *s = results->schedule;
	const struct plan *plan = results->plan;
	struct sink cells = mp_emit_columns_begin(sink);

	(void)scratch;
	mp_emit_report_head(sink, s);
	if (s->graph->n_ops > 0)
		mp_sink_print(sink, "  order        %s\n",
			mp_emit_plain(s->order_name).text);
	mp_sink_print(sink,
		"  no reuse     %s\n"
		"  minimum      %s\n",
		mp_emit_size(s, s->problem.total_size).text,
		mp_emit_size(s, s->problem.theoretical_min).text);
	mp_sink_text(sink, "\n");
	mp_sink_print(&cells,
		"allocator\treserved\tratio\tin use\thigh water\tfragmented"
		"\tallocations\tregions\nstatic plan\t%" PRIu64 "\t",
		plan->arena_size);
	mp_sink_ratio(
		&cells, plan->arena_size, plan->problem->theoretical_min, 3);
	mp_sink_text(&cells, "\n");
	for (uint32_t i = 0; i < results->n_simulations; i++)
		line(&cells, plan, &results->simulations[i]);
	mp_emit_columns_print(sink, &cells, columns, countof(columns));
	for (uint32_t i = 0; i < results->n_simulations; i++)
		refusal(sink, s, &results->simulations[i]);
}

/* ------------------------------------------------------------- JSON */

static void object(struct sink *sink, const struct simulation *s)
{
	mp_emit_json_text(sink, "{", "name", s->name);
	JSON_NUMBERS(sink, ", ", {"reserved", s->reserved},
		{"in_use", s->in_use}, {"high_water", s->high_water},
		{"free", s->free}, {"largest_free", s->largest_free},
		{"allocations", s->requests}, {"regions", s->regions});
	if (s->refused > 0)
		JSON_NUMBERS(sink, ", ", {"refused", s->refused},
			{"refused_step", s->refused_at});
	mp_emit_json_key(sink, ", ", "seconds");
	mp_sink_seconds(sink, s->seconds);
	mp_sink_text(sink, "}");
}

void mp_emit_simulate_json(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct schedule *schedule = plan->schedule;

	(void)scratch;
	mp_emit_json_counts(sink, schedule);
	mp_emit_json_rounding(sink, schedule);
	mp_emit_json_text(sink, JSON_LINE, "order", schedule->order_name);
	mp_emit_json_text(sink, JSON_LINE, "planner", plan->planner);
	JSON_NUMBERS(sink, JSON_LINE, {"arena_size", plan->arena_size},
		{"theoretical_min", schedule->problem.theoretical_min},
		{"total_size", schedule->problem.total_size});
	mp_emit_json_open(sink, JSON_LINE, "simulations");
	for (uint32_t i = 0; i < results->n_simulations; i++) {
		mp_emit_json_item(sink, i);
		object(sink, &results->simulations[i]);
	}
	mp_sink_text(sink, "\n  ]\n}\n");
}

/* -------------------------------------------------------------- CSV */

static void cell(struct sink *sink, uint64_t value)
{
	mp_sink_text(sink, ",");
	mp_sink_u64(sink, value);
}

void mp_emit_timeline(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct schedule *schedule = plan->schedule;
	const struct simulation *s = results->simulations;

	(void)scratch;
	mp_sink_text(sink, "step,alive,static plan");
	for (uint32_t i = 0; i < results->n_simulations; i++)
		mp_sink_print(
			sink, ",%s in use,%s reserved", s[i].name, s[i].name);
	mp_sink_text(sink, "\n");
	for (uint32_t k = 0; k < schedule->problem.n_steps; k++) {
		mp_sink_i64(sink, mp_problem_time(&schedule->problem, k));
		cell(sink, schedule->problem.load[k]);
		cell(sink, plan->arena_size);
		for (uint32_t i = 0; i < results->n_simulations; i++) {
			if (!s[i].in_use_at)
				continue;
			cell(sink, s[i].in_use_at[k]);
			cell(sink, s[i].reserved_at[k]);
		}
		mp_sink_text(sink, "\n");
	}
}
