/*
 * simulate: what online allocators would have used, beside the plan; for
 * people, as JSON, and over the steps as CSV.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "emit/json-text.h"
#include "emit/report.h"
#include "emit/rows.h"

/* ------------------------------------------------------- for people */

struct column {
	const char *title;
	uint32_t width;
};

enum {
	NAME,
	RESERVED,
	RATIO,
	IN_USE,
	HIGH_WATER,
	REQUESTS,
	REGIONS,
	N_COLUMNS,
};

static void widen(struct column *column, uint64_t number)
{
	uint32_t digits = mp_text_digits(number);

	column->width = digits > column->width ? digits : column->width;
}

/* Digits of the ratio to the minimum, with its three decimals. */
static uint32_t ratio_digits(const struct plan *plan, uint64_t bytes)
{
	uint64_t least = plan->problem->theoretical_min;

	return mp_text_digits(least ? (bytes + least / 2000) / least : 1) + 4;
}

static void widen_ratio(
	struct column *column, const struct plan *plan, uint64_t bytes)
{
	uint32_t digits = ratio_digits(plan, bytes);

	column->width = digits > column->width ? digits : column->width;
}

static void measure(const struct results *results, struct column *columns)
{
	const struct plan *plan = results->plan;
	const struct simulation *s;
	uint32_t length;

	for (uint32_t i = 0; i < N_COLUMNS; i++)
		columns[i].width = (uint32_t)strlen(columns[i].title);
	widen(&columns[RESERVED], plan->arena_size);
	widen_ratio(&columns[RATIO], plan, plan->arena_size);
	for (uint32_t i = 0; i < results->n_simulations; i++) {
		s = &results->simulations[i];
		length = (uint32_t)strlen(s->name);
		if (length > columns[NAME].width)
			columns[NAME].width = length;
		widen(&columns[RESERVED], s->reserved);
		widen_ratio(&columns[RATIO], plan, s->reserved);
		widen(&columns[IN_USE], s->in_use);
		widen(&columns[HIGH_WATER], s->high_water);
		widen(&columns[REQUESTS], s->requests);
		widen(&columns[REGIONS], s->regions);
	}
}

static void name(
	struct sink *sink, const struct column *columns, const char *text)
{
	mp_sink_text(sink, "  ");
	mp_sink_text(sink, text);
	mp_emit_report_pad(sink, columns[NAME].width, (uint32_t)strlen(text));
}

static void number(
	struct sink *sink, const struct column *column, uint64_t value)
{
	mp_emit_report_pad(sink, column->width + 2, mp_text_digits(value));
	mp_sink_u64(sink, value);
}

static void ratio(struct sink *sink, const struct plan *plan, uint64_t bytes,
	const struct column *column)
{
	mp_emit_report_pad(sink, column->width + 2, ratio_digits(plan, bytes));
	mp_sink_ratio(sink, bytes, plan->problem->theoretical_min, 3);
}

static void title(struct sink *sink, const struct column *column)
{
	mp_emit_report_pad(
		sink, column->width + 2, (uint32_t)strlen(column->title));
	mp_sink_text(sink, column->title);
}

static void titles(struct sink *sink, const struct column *columns)
{
	mp_sink_text(sink, "\n");
	name(sink, columns, columns[NAME].title);
	title(sink, &columns[RESERVED]);
	title(sink, &columns[RATIO]);
	title(sink, &columns[IN_USE]);
	title(sink, &columns[HIGH_WATER]);
	mp_sink_text(sink, "  fragmented");
	title(sink, &columns[REQUESTS]);
	title(sink, &columns[REGIONS]);
	mp_sink_text(sink, "\n");
}

/* Digits of a percentage end in one column up to 100.0 %. */
static void fragmented(struct sink *sink, const struct simulation *s)
{
	uint64_t lost = s->free - s->largest_free;

	mp_emit_report_pad(sink, s->free && lost >= s->free / 10 ? 6 : 7, 0);
	mp_sink_percent(sink, lost, s->free ? s->free : 1);
	mp_sink_text(sink, " %");
}

static void line(struct sink *sink, const struct plan *plan,
	const struct simulation *s, const struct column *columns)
{
	name(sink, columns, s->name);
	number(sink, &columns[RESERVED], s->reserved);
	ratio(sink, plan, s->reserved, &columns[RATIO]);
	number(sink, &columns[IN_USE], s->in_use);
	number(sink, &columns[HIGH_WATER], s->high_water);
	fragmented(sink, s);
	number(sink, &columns[REQUESTS], s->requests);
	number(sink, &columns[REGIONS], s->regions);
	mp_sink_text(sink, "\n");
}

static void plan_line(struct sink *sink, const struct plan *plan,
	const struct column *columns)
{
	name(sink, columns, "static plan");
	number(sink, &columns[RESERVED], plan->arena_size);
	ratio(sink, plan, plan->arena_size, &columns[RATIO]);
	mp_sink_text(sink, "\n");
}

bool mp_emit_simulate(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct plan *plan = results->plan;
	const struct schedule *schedule = plan->schedule;
	struct column columns[N_COLUMNS] = {{"allocator", 0}, {"reserved", 0},
		{"ratio", 0}, {"in use", 0}, {"high water", 0},
		{"allocations", 0}, {"regions", 0}};

	(void)scratch;
	mp_emit_report_head(sink, schedule);
	mp_emit_report_label(sink, "order");
	mp_sink_plain(sink, schedule->order_name, REPORT_NAME);
	mp_sink_text(sink, "\n");
	mp_emit_report_size(
		sink, "no reuse", schedule->problem.total_size, schedule);
	mp_sink_text(sink, "\n");
	mp_emit_report_size(
		sink, "minimum", schedule->problem.theoretical_min, schedule);
	mp_sink_text(sink, "\n");
	measure(results, columns);
	titles(sink, columns);
	plan_line(sink, plan, columns);
	for (uint32_t i = 0; i < results->n_simulations; i++)
		line(sink, plan, &results->simulations[i], columns);
	return e->code == MEMPLAN_OK;
}

/* ------------------------------------------------------------- JSON */

static void object(struct sink *sink, const struct simulation *s)
{
	mp_emit_json_text(sink, "{", "name", s->name);
	mp_emit_json_number(sink, ", ", "reserved", s->reserved);
	mp_emit_json_number(sink, ", ", "in_use", s->in_use);
	mp_emit_json_number(sink, ", ", "high_water", s->high_water);
	mp_emit_json_number(sink, ", ", "free", s->free);
	mp_emit_json_number(sink, ", ", "largest_free", s->largest_free);
	mp_emit_json_number(sink, ", ", "allocations", s->requests);
	mp_emit_json_number(sink, ", ", "regions", s->regions);
	mp_emit_json_key(sink, ", ", "seconds");
	mp_sink_seconds(sink, s->seconds);
	mp_sink_text(sink, "}");
}

bool mp_emit_simulate_json(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct plan *plan = results->plan;
	const struct schedule *schedule = plan->schedule;

	(void)scratch;
	mp_emit_json_text(sink, "{\n  ", "name", schedule->graph->name);
	mp_emit_json_number(sink, JSON_LINE, "ops", schedule->graph->n_ops);
	mp_emit_json_number(
		sink, JSON_LINE, "tensors", schedule->graph->n_tensors);
	mp_emit_json_number(
		sink, JSON_LINE, "buffers", schedule->problem.n_buffers);
	mp_emit_json_rounding(sink, schedule);
	mp_emit_json_text(sink, JSON_LINE, "order", schedule->order_name);
	mp_emit_json_text(sink, JSON_LINE, "planner", plan->planner);
	mp_emit_json_number(sink, JSON_LINE, "arena_size", plan->arena_size);
	mp_emit_json_number(sink, JSON_LINE, "theoretical_min",
		schedule->problem.theoretical_min);
	mp_emit_json_number(
		sink, JSON_LINE, "total_size", schedule->problem.total_size);
	mp_emit_json_key(sink, JSON_LINE, "simulations");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < results->n_simulations; i++) {
		mp_sink_text(sink, i > 0 ? ",\n    " : "\n    ");
		object(sink, &results->simulations[i]);
	}
	mp_sink_text(sink, "\n  ]\n}\n");
	return e->code == MEMPLAN_OK;
}

/* -------------------------------------------------------------- CSV */

static void timeline_head(struct sink *sink, const struct results *results)
{
	mp_sink_text(sink, "step,alive,static plan");
	for (uint32_t i = 0; i < results->n_simulations; i++) {
		mp_sink_print(sink, ",%s in use,%s reserved",
			results->simulations[i].name,
			results->simulations[i].name);
	}
	mp_sink_text(sink, "\n");
}

static void cell(struct sink *sink, uint64_t value)
{
	mp_sink_text(sink, ",");
	mp_sink_u64(sink, value);
}

bool mp_emit_timeline(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct plan *plan = results->plan;
	const struct schedule *schedule = plan->schedule;
	const struct simulation *s = results->simulations;

	(void)scratch;
	timeline_head(sink, results);
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
	return e->code == MEMPLAN_OK;
}
