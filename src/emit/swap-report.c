/*
 * swap: what copying feature maps out and back would cost and save, by copy
 * mode; for people and as JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "emit/json-text.h"
#include "emit/report.h"
#include "emit/rows.h"

/* The swapping of a plan that was not simulated: no map, no mode. */
static const struct swapping *swapping_of(const struct results *results)
{
	static const struct swapping none = {0};

	return results->swapping ? results->swapping : &none;
}

/* ------------------------------------------------------- for people */

static uint64_t reserved(const struct swap_mode *mode, const char *row)
{
	for (uint32_t i = 0; i < mode->n_simulations; i++)
		if (strcmp(mode->simulations[i].name, row) == 0)
			return mode->simulations[i].reserved;
	return mode->simulations[0].reserved;
}

/* The columns are the pools of the "simulate" report, without the one that
 * frees by counts and those that only grow in coarser units. */
static const char *const pools[] = {"os", "bfc-one", "mindspore-one", "pool64"};

/* The milliseconds have one decimal. */
static void line(struct sink *cells, const struct swap_mode *mode)
{
	uint64_t tenths = (mode->nanoseconds + 50000) / 100000;

	mp_sink_print(cells,
		"%s\t%" PRIu64 ".%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
		mode->name, tenths / 10, tenths % 10, mode->theoretical_min,
		mode->arena_size);
	for (uint32_t i = 0; mode->n_simulations > 0 && i < countof(pools); i++)
		mp_sink_print(cells, "\t%" PRIu64, reserved(mode, pools[i]));
	mp_sink_text(cells, "\n");
}

static void lines(struct sink *sink, const struct results *results)
{
	static const struct column columns[] = {{2, 0, true}, {0, 13, false},
		{2, 13, false}, {2, 13, false}, {2, 13, false}, {2, 13, false},
		{2, 13, false}, {2, 13, false}};
	const struct plan *plan = results->plan;
	const struct swapping *swap = swapping_of(results);
	const struct swap_mode none = {"no swap", swap->nanoseconds,
		plan->problem->theoretical_min, plan->arena_size, plan->planner,
		results->simulations, results->n_simulations};
	struct sink cells = mp_emit_columns_begin(sink);

	mp_sink_text(&cells, "mode\tmilliseconds\tminimum\tstatic plan");
	for (uint32_t i = 0; i < countof(pools); i++)
		mp_sink_print(&cells, "\t%s", pools[i]);
	mp_sink_text(&cells, "\n");
	line(&cells, &none);
	for (uint32_t i = 0; i < swap->n_modes; i++)
		line(&cells, &swap->modes[i]);
	mp_sink_text(sink, "\n");
	mp_emit_columns_print(sink, &cells, columns, countof(columns));
}

void mp_emit_swap(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct swapping *swap = swapping_of(results);

	(void)scratch;
	mp_emit_report_head(sink, results->schedule);
	mp_sink_print(sink,
		"  forward      %u step%s\n  swapped      %u feature map%s, "
		"%s\n  rates        %" PRIu64 " bytes/s out, %" PRIu64
		" bytes/s in\n",
		swap->forward_end, mp_text_plural(swap->forward_end),
		swap->n_maps, mp_text_plural(swap->n_maps),
		mp_emit_bytes(swap->bytes).text, swap->write_rate,
		swap->read_rate);
	lines(sink, results);
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
	JSON_NUMBERS(sink, ", ", {"nanoseconds", mode->nanoseconds},
		{"theoretical_min", mode->theoretical_min},
		{"arena_size", mode->arena_size});
	mp_emit_json_text(sink, ", ", "planner", mode->planner);
	mp_emit_json_key(sink, ",\n     ", "reserved");
	json_pools(sink, mode->simulations, mode->n_simulations);
	mp_sink_text(sink, "}");
}

void mp_emit_swap_json(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct swapping *swap = swapping_of(results);

	(void)scratch;
	mp_emit_json_text(sink, "{\n  ", "name", plan->schedule->graph->name);
	JSON_NUMBERS(sink, JSON_LINE, {"forward_end", swap->forward_end},
		{"maps", swap->n_maps}, {"bytes", swap->bytes},
		{"write_rate", swap->write_rate},
		{"read_rate", swap->read_rate},
		{"nanoseconds", swap->nanoseconds},
		{"arena_size", plan->arena_size},
		{"theoretical_min", plan->problem->theoretical_min});
	mp_emit_json_key(sink, JSON_LINE, "reserved");
	json_pools(sink, results->simulations, results->n_simulations);
	mp_emit_json_open(sink, JSON_LINE, "modes");
	for (uint32_t i = 0; i < swap->n_modes; i++) {
		mp_emit_json_item(sink, i);
		json_mode(sink, &swap->modes[i]);
	}
	mp_sink_text(sink, "\n  ]\n}\n");
}
