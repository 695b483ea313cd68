/*
 * show-json: what "show" says, as one JSON object.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/inplace-report.h"
#include "emit/json-text.h"
#include "emit/peak.h"
#include "emit/rows.h"
#include "emit/show/show-pools.h"
#include "emit/show/written.h"

static void alive_line(
	struct sink *sink, const struct problem *p, const struct alive *alive)
{
	const struct item *item = &p->items[alive->item];

	mp_sink_text(sink, "{\"id\": ");
	mp_emit_json_id(sink, item);
	mp_emit_json_text(sink, ", ", "name", mp_problem_item_label(item));
	mp_emit_json_number(sink, ", ", "size", alive->size);
	mp_emit_json_signed(
		sink, ", ", "start", mp_problem_time(p, item->start));
	mp_emit_json_signed(sink, ", ", "end", mp_problem_time(p, item->end));
	mp_emit_json_text(sink, ", ", "kind", mp_problem_item_kind(item->kind));
	mp_sink_text(sink, "}");
}

static bool peak(
	struct sink *sink, const struct problem *p, struct arena *scratch)
{
	const struct step *op = mp_emit_peak_op(p);
	uint32_t n;
	struct alive *alive = mp_emit_peak_alive(p, &n, scratch);

	if (!alive)
		return false;
	mp_emit_json_number(sink, JSON_LINE, "peak_step", p->peak_step);
	mp_emit_json_text(sink, JSON_LINE, "peak_op", op ? op->name : NULL);
	mp_emit_json_key(sink, JSON_LINE, "peak");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < n; i++) {
		mp_sink_text(sink, i > 0 ? ",\n    " : "\n    ");
		alive_line(sink, p, &alive[i]);
	}
	mp_sink_text(sink, "\n  ]");
	return true;
}

static void order(struct sink *sink, const struct order_result *order)
{
	mp_sink_text(sink, "{\"name\": ");
	mp_sink_json(sink, order->name);
	mp_emit_json_number(sink, ", ", "theoretical_min", order->peak);
	mp_emit_json_number(sink, ", ", "lower_bound", order->lower_bound);
	mp_emit_json_text(sink, ", ", "bound_kind", order->bound_kind);
	mp_emit_json_number(sink, ", ", "moved", order->moved);
	mp_emit_json_key(sink, ", ", "seconds");
	mp_sink_seconds(sink, order->seconds);
	mp_sink_text(sink, "}");
}

bool mp_emit_show_json(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct problem *p = plan->problem;

	mp_sink_text(sink, "{\n  \"name\": ");
	mp_sink_json(sink, p->name);
	mp_emit_json_number(sink, JSON_LINE, "ops", p->n_ops);
	mp_emit_json_number(sink, JSON_LINE, "tensors", p->n_items);
	mp_emit_json_number(sink, JSON_LINE, "buffers", p->n_buffers);
	mp_emit_json_number(sink, JSON_LINE, "steps", p->n_steps);
	mp_emit_json_rounding(sink, p);
	mp_emit_json_number(sink, JSON_LINE, "total_size", p->total_size);
	mp_emit_json_number(
		sink, JSON_LINE, "theoretical_min", p->theoretical_min);
	if (!mp_emit_memories_json(sink, p, scratch) ||
		!peak(sink, p, scratch) ||
		!mp_emit_inplace_json(sink, p, scratch))
		return false;
	mp_emit_alias_writes_json(sink, p);
	mp_emit_json_key(sink, JSON_LINE, "orders");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < plan->n_orders; i++) {
		mp_sink_text(sink, i > 0 ? ",\n    " : "\n    ");
		order(sink, &plan->orders[i]);
	}
	mp_sink_text(sink, "\n  ]");
	mp_emit_json_number(
		sink, JSON_LINE, "orders_left", plan->n_orders_left);
	mp_sink_text(sink, "\n}\n");
	return e->code == MEMPLAN_OK;
}
