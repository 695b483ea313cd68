/* SPDX-License-Identifier: MIT */
#include "emit/json-text.h"

void mp_emit_json_bool(
	struct sink *sink, const char *before, const char *name, bool value)
{
	mp_emit_json_key(sink, before, name);
	mp_sink_text(sink, value ? "true" : "false");
}

void mp_emit_json_text(struct sink *sink, const char *before, const char *name,
	const char *value)
{
	mp_emit_json_key(sink, before, name);
	if (value)
		mp_sink_json(sink, value);
	else
		mp_sink_text(sink, "null");
}

void mp_emit_json_rounding(struct sink *sink, const struct schedule *schedule)
{
	const struct margins *margins = &schedule->problem.margins;

	mp_emit_json_number(
		sink, JSON_LINE, "alignment", schedule->problem.alignment);
	if (margins->target)
		mp_emit_json_text(sink, JSON_LINE, "target", margins->target);
	if (margins->padding)
		mp_emit_json_number(
			sink, JSON_LINE, "padding", margins->padding);
}

void mp_emit_json_id(struct sink *sink, const struct tensor *tensor)
{
	if (tensor->id && tensor->id_is_number)
		mp_sink_text(sink, tensor->id);
	else
		mp_sink_json(sink, tensor->id ? tensor->id
					      : mp_graph_tensor_label(tensor));
}

static void pool(struct sink *sink, const struct space *space)
{
	mp_emit_json_text(sink, "{", "name", space->name);
	if (space->capacity != NO_CAPACITY)
		mp_emit_json_number(sink, ", ", "capacity", space->capacity);
	mp_emit_json_number(sink, ", ", "alignment", space->alignment);
	mp_emit_json_number(sink, ", ", "arena_size", space->size);
	mp_emit_json_number(
		sink, ", ", "theoretical_min", space->theoretical_min);
	mp_emit_json_number(sink, ", ", "lower_bound", space->lower_bound);
	mp_sink_text(sink, "}");
}

void mp_emit_json_pools(struct sink *sink, const struct plan *plan)
{
	if (!plan->spaces.at)
		return;
	mp_emit_json_key(sink, JSON_LINE, "pools");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < plan->spaces.n; i++) {
		mp_sink_text(sink, i > 0 ? ",\n    " : "\n    ");
		pool(sink, &plan->spaces.at[i]);
	}
	mp_sink_text(sink, "\n  ]");
}
