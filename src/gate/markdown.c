/*
 * markdown: a table for a comment or a step summary, the worst first. GitHub
 * takes a mebibyte of summary, so there is an end to the rows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gate/gate.h"

enum {
	SHOWN = 300
};

static void name_cell(struct sink *sink, const char *name)
{
	mp_sink_text(sink, "| ");
	if (name)
		mp_sink_code(sink, name, GATE_NAME);
	mp_sink_text(sink, " ");
}

static void size_cell(struct sink *sink, uint64_t bytes)
{
	mp_sink_text(sink, "| ");
	mp_sink_u64(sink, bytes);
	mp_sink_text(sink, " ");
}

/* What is not a pass; names in messages are code spans' business. */
static void messages(
	struct sink *sink, const struct budget *budget, struct arena *scratch)
{
	mp_sink_text(sink, "| ");
	if (!budget->planned)
		mp_sink_code(
			sink, mp_gate_message(budget, GATE_PLAN, scratch), 200);
	for (uint32_t kind = 0; kind < N_GATES; kind++) {
		if (budget->verdicts[kind].level <= LEVEL_PASS)
			continue;
		mp_sink_print(sink, "%s: ", mp_gate_rows[kind].name);
		mp_sink_code(sink, mp_gate_message(budget, kind, scratch), 200);
		mp_sink_text(sink, " ");
	}
	mp_sink_text(sink, " |\n");
}

static void row(
	struct sink *sink, const struct budget *budget, struct arena *scratch)
{
	mp_sink_print(sink, "| %s ", mp_gate_level_name(mp_gate_level(budget)));
	name_cell(sink, budget->graph);
	name_cell(sink, budget->batch);
	name_cell(sink, budget->target);
	if (budget->planned) {
		size_cell(sink, budget->arena_size);
		size_cell(sink, budget->theoretical_min);
		mp_sink_text(sink, "| ");
		mp_sink_ratio(
			sink, budget->arena_size, budget->theoretical_min, 3);
		mp_sink_text(sink, " ");
	} else {
		mp_sink_text(sink, "| | | ");
	}
	messages(sink, budget, scratch);
}

void mp_gate_markdown(
	const struct gate *gate, struct sink *sink, struct arena *scratch)
{
	uint32_t shown = 0;

	mp_sink_print(sink,
		"### memory budgets: %u failed, %u warned, %u in all\n\n"
		"| | graph | batch | target | arena | minimum | ratio | |\n"
		"|---|---|---|---|---:|---:|---:|---|\n",
		mp_gate_failed(gate), mp_gate_count(gate, LEVEL_WARN),
		gate->n_budgets);
	for (uint32_t level = LEVEL_ERROR; level >= LEVEL_PASS; level--)
		for (uint32_t i = 0; i < gate->n_budgets; i++) {
			if (mp_gate_level(&gate->budgets[i]) != level ||
				shown == SHOWN)
				continue;
			row(sink, &gate->budgets[i], scratch);
			shown++;
		}
	if (shown < gate->n_budgets)
		mp_sink_print(sink, "\nand %u more\n", gate->n_budgets - shown);
}
