/*
 * swap: what copying feature maps out and back would cost and save, by copy
 * mode; for people and as JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "emit/json-text.h"
#include "emit/report.h"
#include "emit/rows.h"

enum {
	COLUMN = 13
};

/* Of a plan without: no map, no mode. */
static const struct swapping *swapping_of(const struct results *results)
{
	static const struct swapping none = {0};

	return results->swapping ? results->swapping : &none;
}

/* ------------------------------------------------------- for people */

/* Milliseconds with one decimal. */
static void milliseconds(struct sink *sink, uint64_t nanoseconds)
{
	uint64_t tenths = (nanoseconds + 50000) / 100000;

	mp_emit_report_pad(sink, COLUMN, mp_text_digits(tenths / 10) + 2);
	mp_sink_print(sink, "%llu.%llu", (unsigned long long)(tenths / 10),
		(unsigned long long)(tenths % 10));
}

static void number(struct sink *sink, uint64_t value)
{
	mp_emit_report_pad(sink, COLUMN + 2, mp_text_digits(value));
	mp_sink_u64(sink, value);
}

static void name(struct sink *sink, const char *text, uint32_t width)
{
	mp_sink_text(sink, "  ");
	mp_sink_text(sink, text);
	mp_emit_report_pad(sink, width, (uint32_t)strlen(text));
}

static void title(struct sink *sink, const char *text)
{
	mp_emit_report_pad(sink, COLUMN + 2, (uint32_t)strlen(text));
	mp_sink_text(sink, text);
}

static uint32_t name_width(const struct swapping *swap)
{
	uint32_t width = (uint32_t)strlen("no swap");

	for (uint32_t i = 0; i < swap->n_modes; i++) {
		uint32_t length = (uint32_t)strlen(swap->modes[i].name);

		width = length > width ? length : width;
	}
	return width;
}

static const struct simulation *find(
	const struct simulation *all, uint32_t n, const char *row)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(all[i].name, row) == 0)
			return &all[i];
	return &all[0];
}

/* The columns are the pools of the "simulate" report, without the one that
 * frees by counts and those that only grow in coarser units. */
static const char *const columns[] = {
	"os", "bfc-one", "mindspore-one", "pool64"};

static void pools(struct sink *sink, const struct simulation *all, uint32_t n)
{
	for (uint32_t i = 0; n > 0 && i < countof(columns); i++)
		number(sink, find(all, n, columns[i])->reserved);
	mp_sink_text(sink, "\n");
}

static void titles(struct sink *sink, uint32_t width)
{
	mp_sink_text(sink, "\n");
	name(sink, "mode", width);
	mp_emit_report_pad(sink, COLUMN, 12);
	mp_sink_text(sink, "milliseconds");
	title(sink, "minimum");
	title(sink, "static plan");
	for (uint32_t i = 0; i < countof(columns); i++)
		title(sink, columns[i]);
	mp_sink_text(sink, "\n");
}

static void lines(struct sink *sink, const struct results *results)
{
	const struct plan *plan = results->plan;
	const struct swapping *swap = swapping_of(results);
	uint32_t width = name_width(swap);

	titles(sink, width);
	name(sink, "no swap", width);
	milliseconds(sink, swap->nanoseconds);
	number(sink, plan->problem->theoretical_min);
	number(sink, plan->arena_size);
	pools(sink, results->simulations, results->n_simulations);
	for (uint32_t i = 0; i < swap->n_modes; i++) {
		const struct swap_mode *mode = &swap->modes[i];

		name(sink, mode->name, width);
		milliseconds(sink, mode->nanoseconds);
		number(sink, mode->theoretical_min);
		number(sink, mode->arena_size);
		pools(sink, mode->simulations, mode->n_simulations);
	}
}

bool mp_emit_swap(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct swapping *swap = swapping_of(results);

	(void)scratch;
	mp_emit_report_head(sink, results->schedule);
	mp_emit_report_label(sink, "forward");
	mp_sink_print(sink, "%u steps\n", swap->forward_end);
	mp_emit_report_label(sink, "swapped");
	mp_sink_print(sink, "%u feature maps, ", swap->n_maps);
	mp_sink_bytes(sink, swap->bytes);
	mp_sink_text(sink, "\n");
	mp_emit_report_label(sink, "rates");
	mp_sink_print(sink, "%llu bytes/s out, %llu bytes/s in\n",
		(unsigned long long)swap->write_rate,
		(unsigned long long)swap->read_rate);
	lines(sink, results);
	return e->code == MEMPLAN_OK;
}

/* ------------------------------------------------------------- JSON */

static void json_pools(
	struct sink *sink, const struct simulation *all, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		mp_emit_json_number(
			sink, i > 0 ? ", " : "{", all[i].name, all[i].reserved);
	mp_sink_text(sink, "}");
}

static void json_mode(struct sink *sink, const struct swap_mode *mode)
{
	mp_emit_json_text(sink, "{", "name", mode->name);
	mp_emit_json_number(sink, ", ", "nanoseconds", mode->nanoseconds);
	mp_emit_json_number(
		sink, ", ", "theoretical_min", mode->theoretical_min);
	mp_emit_json_number(sink, ", ", "arena_size", mode->arena_size);
	mp_emit_json_text(sink, ", ", "planner", mode->planner);
	mp_emit_json_key(sink, ",\n     ", "reserved");
	json_pools(sink, mode->simulations, mode->n_simulations);
	mp_sink_text(sink, "}");
}

bool mp_emit_swap_json(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct plan *plan = results->plan;
	const struct swapping *swap = swapping_of(results);

	(void)scratch;
	mp_emit_json_text(sink, "{\n  ", "name", plan->schedule->graph->name);
	mp_emit_json_number(sink, JSON_LINE, "forward_end", swap->forward_end);
	mp_emit_json_number(sink, JSON_LINE, "maps", swap->n_maps);
	mp_emit_json_number(sink, JSON_LINE, "bytes", swap->bytes);
	mp_emit_json_number(sink, JSON_LINE, "write_rate", swap->write_rate);
	mp_emit_json_number(sink, JSON_LINE, "read_rate", swap->read_rate);
	mp_emit_json_number(sink, JSON_LINE, "nanoseconds", swap->nanoseconds);
	mp_emit_json_number(sink, JSON_LINE, "arena_size", plan->arena_size);
	mp_emit_json_number(sink, JSON_LINE, "theoretical_min",
		plan->problem->theoretical_min);
	mp_emit_json_key(sink, JSON_LINE, "reserved");
	json_pools(sink, results->simulations, results->n_simulations);
	mp_emit_json_key(sink, JSON_LINE, "modes");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < swap->n_modes; i++) {
		mp_sink_text(sink, i > 0 ? ",\n    " : "\n    ");
		json_mode(sink, &swap->modes[i]);
	}
	mp_sink_text(sink, "\n  ]\n}\n");
	return e->code == MEMPLAN_OK;
}
