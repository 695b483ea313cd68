/*
 * Members that several JSON outputs have.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/json-text.h"

#include <assert.h>

void mp_emit_json_numbers(struct sink *sink, const char *before,
	const struct json_number *numbers, size_t n)
{
	assert(n > 0);
	for (size_t i = 0; i < n; i++)
		mp_emit_json_number(
			sink, before, numbers[i].name, numbers[i].value);
}

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

void mp_emit_json_step(struct sink *sink, const char *before, const char *name,
	const struct schedule *s, uint32_t step)
{
	if (step == NONE)
		mp_emit_json_text(sink, before, name, NULL);
	else
		mp_emit_json_signed(
			sink, before, name, mp_problem_time(&s->problem, step));
}

void mp_emit_json_open(struct sink *sink, const char *before, const char *name)
{
	mp_emit_json_key(sink, before, name);
	mp_sink_text(sink, "[");
}

void mp_emit_json_item(struct sink *sink, uint32_t i)
{
	mp_sink_text(sink, i > 0 ? ",\n    " : "\n    ");
}

void mp_emit_json_close(struct sink *sink, uint32_t n)
{
	mp_sink_text(sink, n > 0 ? "\n  ]" : "]");
}

void mp_emit_json_list(struct sink *sink, const char *before, const char *name,
	struct ids values)
{
	assert(values.n == 0 || values.at);
	mp_emit_json_open(sink, before, name);
	for (uint32_t i = 0; i < values.n; i++) {
		mp_sink_text(sink, i > 0 ? ", " : "");
		mp_sink_u64(sink, values.at[i]);
	}
	mp_sink_text(sink, "]");
}

void mp_emit_json_counts(struct sink *sink, const struct schedule *s)
{
	mp_emit_json_text(sink, "{\n  ", "name", s->graph->name);
	JSON_NUMBERS(sink, JSON_LINE, {"ops", s->graph->n_ops},
		{"tensors", s->graph->n_tensors},
		{"buffers", s->problem.n_buffers});
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

void mp_emit_json_ids(
	struct sink *sink, const struct graph *graph, struct ids tensors)
{
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < tensors.n; i++) {
		mp_sink_text(sink, i > 0 ? ", " : "");
		mp_emit_json_id(sink, &graph->tensors[tensors.at[i]]);
	}
	mp_sink_text(sink, "]");
}

void mp_emit_json_capacity(struct sink *sink, uint64_t capacity)
{
	if (capacity != NO_CAPACITY)
		mp_emit_json_number(sink, ", ", "capacity", capacity);
}

void mp_emit_json_tensor(struct sink *sink, const struct tensor *tensor)
{
	assert(tensor);
	mp_emit_json_key(sink, "{", "id");
	mp_emit_json_id(sink, tensor);
	mp_emit_json_text(sink, ", ", "name", mp_graph_tensor_label(tensor));
}

void mp_emit_json_label(
	struct sink *sink, const struct labels *labels, uint32_t tensor)
{
	mp_emit_json_text(sink, ", ", "label", labels->of_tensor[tensor]);
}

void mp_emit_json_life(
	struct sink *sink, const struct schedule *s, const struct stay *stay)
{
	assert(stay->start <= stay->end);
	mp_emit_json_signed(
		sink, ", ", "start", mp_problem_time(&s->problem, stay->start));
	mp_emit_json_signed(
		sink, ", ", "end", mp_problem_time(&s->problem, stay->end));
}

void mp_emit_json_pool(
	struct sink *sink, const struct plan *plan, uint32_t tensor)
{
	assert(tensor < plan->schedule->graph->n_tensors);
	if (plan->spaces.at && plan->schedule->stay[tensor].buffer != NONE)
		mp_emit_json_text(sink, ", ", "pool",
			plan->spaces.at[mp_plan_space(plan, tensor)].name);
}

void mp_emit_json_claim(
	struct sink *sink, const char *before, const struct plan *plan)
{
	if (plan->claimed_bound == 0)
		return;
	mp_emit_json_bool(sink, before, "claimed", true);
	mp_emit_json_number(sink, before, "claimed_bound", plan->claimed_bound);
}

void mp_emit_json_banks(struct sink *sink, const struct memory_pool *pool)
{
	if (pool->banks.count == 0)
		return;
	mp_emit_json_key(sink, ", ", "banks");
	mp_emit_json_number(sink, "{", "size", pool->banks.size);
	mp_emit_json_number(sink, ", ", "count", pool->banks.count);
	mp_sink_text(sink, "}");
}

void mp_emit_json_pools(struct sink *sink, const struct plan *plan, bool claims)
{
	const struct spaces *spaces = &plan->spaces;

	if (!spaces->at)
		return;
	mp_emit_json_open(sink, JSON_LINE, "pools");
	for (uint32_t i = 0; i < spaces->n; i++) {
		const struct space *space = &spaces->at[i];

		mp_emit_json_item(sink, i);
		mp_emit_json_text(sink, "{", "name", space->name);
		mp_emit_json_capacity(sink, space->capacity);
		mp_emit_json_number(sink, ", ", "alignment", space->alignment);
		mp_emit_json_banks(sink, &plan->problem->pools[space->pool]);
		JSON_NUMBERS(sink, ", ", {"arena_size", space->size},
			{"theoretical_min", space->theoretical_min},
			{"lower_bound", claims ? num_max(space->lower_bound,
							 space->claimed_bound)
					       : space->lower_bound});
		mp_sink_text(sink, "}");
	}
	mp_sink_text(sink, "\n  ]");
}
