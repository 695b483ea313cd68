/* SPDX-License-Identifier: MIT */
#include "emit/show/written.h"

#include "emit/json-text.h"
#include "emit/report.h"

enum {
	WAITS_SHOWN = 10,
};

static uint32_t count_writers(const struct problem *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->ties.n_aliases; i++)
		n += p->ties.aliases[i].writes;
	return n;
}

static void line(struct sink *sink, const struct problem *p,
	const struct write_wait *wait)
{
	mp_sink_text(sink, "  op ");
	mp_emit_report_op(sink, p, wait->reader);
	mp_sink_text(sink, " reads ");
	mp_emit_report_name(
		sink, mp_problem_item_label(&p->items[wait->older]));
	mp_sink_text(sink, " before op ");
	mp_emit_report_op(sink, p, p->items[wait->alias].producer);
	mp_sink_text(sink, " writes ");
	mp_emit_report_name(
		sink, mp_problem_item_label(&p->items[wait->alias]));
	mp_sink_text(sink, " there\n");
}

void mp_emit_alias_writes_text(struct sink *sink, const struct problem *p)
{
	uint32_t writers = count_writers(p);

	if (writers == 0)
		return;
	mp_sink_print(sink,
		"\nwritten over bytes of others: %u tensor%s, behind %u "
		"reader%s of these\n",
		writers, writers == 1 ? "" : "s", p->n_waits,
		p->n_waits == 1 ? "" : "s");
	for (uint32_t i = 0; i < p->n_waits && i < WAITS_SHOWN; i++)
		line(sink, p, &p->waits[i]);
	if (p->n_waits > WAITS_SHOWN)
		mp_sink_print(sink, "  and %u more: --json lists all\n",
			p->n_waits - WAITS_SHOWN);
}

static void entry(struct sink *sink, const struct problem *p,
	const struct write_wait *wait)
{
	mp_emit_json_key(sink, "{", "tensor");
	mp_emit_json_id(sink, &p->items[wait->alias]);
	mp_emit_json_number(sink, ", ", "op", p->items[wait->alias].producer);
	mp_emit_json_key(sink, ", ", "over");
	mp_emit_json_id(sink, &p->items[wait->older]);
	mp_emit_json_number(sink, ", ", "reader", wait->reader);
	mp_sink_text(sink, "}");
}

void mp_emit_alias_writes_json(struct sink *sink, const struct problem *p)
{
	mp_emit_json_key(sink, JSON_LINE, "writes");
	mp_emit_json_number(sink, "{", "tensors", count_writers(p));
	mp_emit_json_key(sink, ", ", "behind");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < p->n_waits; i++) {
		mp_sink_text(sink, i > 0 ? ",\n    " : "\n    ");
		entry(sink, p, &p->waits[i]);
	}
	mp_sink_text(sink, p->n_waits > 0 ? "\n  ]}" : "]}");
}
