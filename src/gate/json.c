/*
 * json: every number of the gate in one object; docs/formats/budget.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "emit/json-text.h"
#include "gate/gate.h"

static void measured(struct sink *sink, const struct budget *budget)
{
	assert(budget->planned);
	mp_emit_json_number(sink, ", ", "arena_size", budget->arena_size);
	mp_emit_json_number(
		sink, ", ", "theoretical_min", budget->theoretical_min);
	mp_emit_json_number(sink, ", ", "lower_bound", budget->lower_bound);
	mp_emit_json_key(sink, ", ", "ratio");
	mp_sink_ratio(sink, budget->arena_size, budget->theoretical_min, 9);
	mp_emit_json_bool(sink, ", ", "optimal",
		budget->arena_size == budget->lower_bound);
	mp_emit_json_key(sink, ", ", "baseline_size");
	if (budget->has_baseline)
		mp_sink_u64(sink, budget->baseline_size);
	else
		mp_sink_text(sink, "null");
}

static void gates(
	struct sink *sink, const struct budget *budget, struct arena *scratch)
{
	const char *between = "\n      ";

	mp_emit_json_key(sink, ",\n     ", "gates");
	mp_sink_text(sink, "[");
	for (uint32_t kind = 0; kind < N_GATES; kind++) {
		const struct verdict *verdict = &budget->verdicts[kind];

		if (verdict->level == LEVEL_NONE)
			continue;
		mp_sink_text(sink, between);
		between = ",\n      ";
		mp_emit_json_text(sink, "{", "gate", mp_gate_rows[kind].name);
		mp_emit_json_text(sink, ", ", "level",
			mp_gate_level_name(verdict->level));
		if (verdict->level != LEVEL_NOTICE)
			mp_emit_json_number(
				sink, ", ", "limit", verdict->limit);
		mp_emit_json_number(
			sink, ", ", "line", budget->gates[kind].place.line);
		mp_emit_json_text(sink, ", ", "message",
			mp_gate_message(budget, kind, scratch));
		mp_sink_text(sink, "}");
	}
	mp_sink_text(sink, "]");
}

static void row(
	struct sink *sink, const struct budget *budget, struct arena *scratch)
{
	mp_emit_json_text(sink, "{", "graph", budget->graph);
	mp_emit_json_text(sink, ", ", "batch", budget->batch);
	mp_emit_json_text(sink, ", ", "target", budget->target);
	mp_emit_json_text(
		sink, ", ", "level", mp_gate_level_name(mp_gate_level(budget)));
	if (budget->planned)
		measured(sink, budget);
	else
		mp_emit_json_text(sink, ", ", "error",
			mp_gate_message(budget, GATE_PLAN, scratch));
	gates(sink, budget, scratch);
	mp_sink_text(sink, "}");
}

void mp_gate_json(
	const struct gate *gate, struct sink *sink, struct arena *scratch)
{
	mp_sink_text(sink, "{\n  \"format\": \"memplan.gate\"");
	mp_emit_json_number(sink, JSON_LINE, "version", 1);
	mp_emit_json_text(sink, JSON_LINE, "budget", gate->file.name);
	mp_emit_json_bool(sink, JSON_LINE, "passed", mp_gate_failed(gate) == 0);
	mp_emit_json_key(sink, JSON_LINE, "rows");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < gate->n_budgets; i++) {
		mp_sink_text(sink, i > 0 ? ",\n    " : "\n    ");
		row(sink, &gate->budgets[i], scratch);
	}
	mp_sink_text(sink, "\n  ]\n}\n");
}
