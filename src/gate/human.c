/*
 * human: what the gates say, for people.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gate/gate.h"

static void row(
	struct sink *sink, const struct budget *budget, struct arena *scratch)
{
	bool judged = false;

	mp_sink_print(sink, "%s\n", mp_gate_title(budget, scratch));
	for (uint32_t kind = 0; kind < N_VERDICTS; kind++) {
		enum gate_level level = budget->verdicts[kind].level;

		if (level == LEVEL_NONE)
			continue;
		judged = true;
		mp_sink_print(sink, "  %-6s  ", mp_gate_level_name(level));
		if (kind != GATE_PLAN)
			mp_sink_print(sink, "%-7s  ", mp_gate_rows[kind].name);
		mp_sink_print(
			sink, "%s\n", mp_gate_message(budget, kind, scratch));
	}
	if (!judged)
		mp_sink_text(
			sink, "  pass    no gate: --update gives it one\n");
}

static void count(struct sink *sink, const struct gate *gate,
	enum gate_level level, const char *name)
{
	mp_sink_print(sink, ", %u %s", mp_gate_count(gate, level), name);
}

void mp_gate_human(
	const struct gate *gate, struct sink *sink, struct arena *scratch)
{
	for (uint32_t i = 0; i < gate->n_budgets; i++)
		row(sink, &gate->budgets[i], scratch);
	mp_sink_print(sink, "%u budget%s", gate->n_budgets,
		mp_text_plural(gate->n_budgets));
	count(sink, gate, LEVEL_PASS, "passed");
	count(sink, gate, LEVEL_NOTICE, "not judged");
	count(sink, gate, LEVEL_WARN, "warned");
	count(sink, gate, LEVEL_FAIL, "failed");
	count(sink, gate, LEVEL_ERROR, "without a plan");
	mp_sink_text(sink, "\n");
}
