/*
 * show-json: what "show" says, as one JSON object.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/inside.h"
#include "emit/json-text.h"
#include "emit/rows.h"

static void peak(
	struct sink *sink, const struct schedule *s, struct arena *scratch)
{
	const struct op *op = mp_schedule_op(s, s->problem.peak_step);
	struct labels labels;
	uint32_t n;
	struct alive *alive =
		mp_emit_peak_alive(s, s->problem.peak_step, &n, scratch);

	if (!mp_emit_labels_find(&labels, s, scratch))
		return;
	mp_emit_json_step(
		sink, JSON_LINE, "peak_step", s, s->problem.peak_step);
	mp_emit_json_text(sink, JSON_LINE, "peak_op", op ? op->name : NULL);
	mp_emit_json_open(sink, JSON_LINE, "peak");
	for (uint32_t i = 0; i < n; i++) {
		const struct tensor *tensor =
			&s->graph->tensors[alive[i].tensor];

		mp_emit_json_item(sink, i);
		mp_emit_json_tensor(sink, tensor);
		mp_emit_json_label(sink, &labels, alive[i].tensor);
		mp_emit_json_number(sink, ", ", "size", alive[i].size);
		mp_emit_json_life(sink, s, &s->stay[alive[i].tensor]);
		mp_emit_json_text(
			sink, ", ", "kind", mp_graph_kind_name(tensor->kind));
		mp_sink_text(sink, "}");
	}
	mp_sink_text(sink, "\n  ]");
}

static void order(struct sink *sink, const struct order_result *order)
{
	mp_emit_json_text(sink, "{", "name", order->name);
	JSON_NUMBERS(sink, ", ", {"theoretical_min", order->peak},
		{"lower_bound", order->lower_bound});
	mp_emit_json_text(sink, ", ", "bound_kind", order->bound_kind);
	mp_emit_json_number(sink, ", ", "moved", order->moved);
	mp_emit_json_key(sink, ", ", "seconds");
	mp_sink_seconds(sink, order->seconds);
	mp_sink_text(sink, "}");
}

void mp_emit_show_json(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct schedule *s = results->schedule;

	mp_emit_json_counts(sink, s);
	mp_emit_json_number(sink, JSON_LINE, "steps", s->problem.n_steps);
	mp_emit_json_rounding(sink, s);
	if (s->graph->wanting)
		mp_emit_json_text(sink, JSON_LINE, "open", s->graph->wanting);
	JSON_NUMBERS(sink, JSON_LINE, {"total_size", s->problem.total_size},
		{"theoretical_min", s->problem.theoretical_min});
	mp_emit_memories_json(sink, s, scratch);
	peak(sink, s, scratch);
	mp_emit_inplace_json(sink, results, scratch);
	mp_emit_alias_writes_json(sink, s);
	mp_emit_loops_json(sink, s, scratch);
	mp_emit_json_open(sink, JSON_LINE, "orders");
	for (uint32_t i = 0; i < results->n_orders; i++) {
		mp_emit_json_item(sink, i);
		order(sink, &results->orders[i]);
	}
	mp_sink_text(sink, "\n  ]");
	mp_emit_json_number(
		sink, JSON_LINE, "orders_left", results->n_orders_left);
	mp_sink_text(sink, "\n}\n");
}
