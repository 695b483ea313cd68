/*
 * show: aliases that are written over bytes of others, and the ops that
 * therefore run before.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/inside.h"

#include "emit/json-text.h"
#include "emit/report.h"

enum {
	WAITS_SHOWN = 10,
};

static uint32_t count_writers(const struct schedule *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->graph->ties.n_aliases; i++)
		n += s->graph->ties.aliases[i].writes;
	return n;
}

void mp_emit_alias_writes_text(struct sink *sink, const struct schedule *s)
{
	uint32_t writers = count_writers(s);

	if (writers == 0)
		return;
	mp_sink_print(sink,
		"\nwritten over bytes of others: %u tensor%s, behind %u "
		"reader%s of these\n",
		writers, mp_text_plural(writers), s->graph->n_waits,
		mp_text_plural(s->graph->n_waits));
	for (uint32_t i = 0; i < s->graph->n_waits && i < WAITS_SHOWN; i++) {
		const struct write_wait *wait = &s->graph->waits[i];

		mp_sink_print(sink,
			"  op %s reads %s before op %s writes %s there\n",
			mp_emit_op(s, wait->reader).text,
			mp_emit_tensor(s, wait->older).text,
			mp_emit_op(s, s->graph->tensors[wait->alias].producer)
				.text,
			mp_emit_tensor(s, wait->alias).text);
	}
	if (s->graph->n_waits > WAITS_SHOWN)
		mp_sink_print(sink, "  and %u more: --json lists all\n",
			s->graph->n_waits - WAITS_SHOWN);
}

void mp_emit_alias_writes_json(struct sink *sink, const struct schedule *s)
{
	mp_emit_json_key(sink, JSON_LINE, "writes");
	mp_emit_json_number(sink, "{", "tensors", count_writers(s));
	mp_emit_json_open(sink, ", ", "behind");
	for (uint32_t i = 0; i < s->graph->n_waits; i++) {
		const struct write_wait *wait = &s->graph->waits[i];
		const struct tensor *alias = &s->graph->tensors[wait->alias];

		mp_emit_json_item(sink, i);
		mp_emit_json_key(sink, "{", "tensor");
		mp_emit_json_id(sink, alias);
		mp_emit_json_number(sink, ", ", "op", alias->producer);
		mp_emit_json_key(sink, ", ", "over");
		mp_emit_json_id(sink, &s->graph->tensors[wait->older]);
		mp_emit_json_number(sink, ", ", "reader", wait->reader);
		mp_sink_text(sink, "}");
	}
	mp_emit_json_close(sink, s->graph->n_waits);
	mp_sink_text(sink, "}");
}
