/*
 * github: workflow commands that GitHub Actions shows as annotations at the
 * line of the budget. The runner reads them line by line: what could end a line
 * or a property is percent-encoded.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "gate/gate.h"

static void escape(struct sink *sink, const char *text, bool property)
{
	for (; *text; text++)
		if (strchr(property ? "%\r\n:," : "%\r\n", *text))
			mp_sink_print(sink, "%%%02X", (unsigned)*text);
		else
			mp_sink_write(sink, text, 1);
}

static const char *command(enum gate_level level)
{
	assert(level > LEVEL_PASS);
	if (level == LEVEL_NOTICE)
		return "notice";
	return level == LEVEL_WARN ? "warning" : "error";
}

static void annotate(struct sink *sink, const struct gate *gate,
	const struct budget *budget, uint32_t kind, struct arena *scratch)
{
	const struct json_place *place = &budget->gates[kind].place;

	mp_sink_print(
		sink, "::%s file=", command(budget->verdicts[kind].level));
	escape(sink, gate->file.name, true);
	mp_sink_print(sink, ",line=%u,col=%u,title=memplan %s::", place->line,
		place->column, mp_gate_rows[kind].name);
	escape(sink, mp_gate_title(budget, scratch), false);
	mp_sink_text(sink, ": ");
	escape(sink, mp_gate_message(budget, kind, scratch), false);
	mp_sink_text(sink, "\n");
}

void mp_gate_github(
	const struct gate *gate, struct sink *sink, struct arena *scratch)
{
	for (uint32_t i = 0; i < gate->n_budgets; i++)
		for (uint32_t kind = 0; kind < N_VERDICTS; kind++)
			if (gate->budgets[i].verdicts[kind].level > LEVEL_PASS)
				annotate(sink, gate, &gate->budgets[i], kind,
					scratch);
	mp_sink_print(sink, "memplan gate: %u failed, %u warned, %u in all\n",
		mp_gate_failed(gate), mp_gate_count(gate, LEVEL_WARN),
		gate->n_budgets);
}
