/*
 * The comparison as one JSON object; docs/formats/compare-json.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include "compare/compare.h"

#include "emit/json-text.h"

static void pool_list(struct sink *sink, const struct spaces *spaces)
{
	if (!spaces->at)
		return;
	mp_emit_json_key(sink, ", ", "pools");
	for (uint32_t i = 0; i < spaces->n; i++) {
		const struct space *pool = &spaces->at[i];

		mp_emit_json_text(
			sink, i > 0 ? ", {" : "[{", "name", pool->name);
		JSON_NUMBERS(sink, ", ", {"arena_size", pool->size},
			{"theoretical_min", pool->theoretical_min},
			{"lower_bound", pool->lower_bound});
		mp_sink_text(sink, "}");
	}
	mp_sink_text(sink, "]");
}

static void plan_object(
	struct sink *sink, const char *name, const struct plan *plan)
{
	const struct schedule *s = plan->schedule;

	mp_emit_json_key(sink, JSON_LINE, name);
	mp_emit_json_text(sink, "{", "name", s->graph->name);
	JSON_NUMBERS(sink, ", ", {"arena_size", plan->arena_size},
		{"theoretical_min", s->problem.theoretical_min},
		{"lower_bound", plan->lower_bound});
	mp_emit_json_key(sink, ", ", "ratio");
	mp_sink_ratio(sink, plan->arena_size, s->problem.theoretical_min, 9);
	mp_emit_json_bool(sink, ", ", "optimal", mp_plan_is_optimal(plan));
	mp_emit_json_claim(sink, ", ", plan);
	JSON_NUMBERS(sink, ", ", {"total_size", s->problem.total_size},
		{"tensors", s->graph->n_tensors});
	mp_emit_json_step(sink, ", ", "peak_step", s, s->problem.peak_step);
	mp_emit_json_text(sink, ", ", "peak_op", mp_compare_peak_op(plan));
	if (plan->banks.n_pairs > 0)
		JSON_NUMBERS(sink, ", ", {"bank_cost", plan->banks.cost},
			{"bank_cost_bound", plan->banks.bound});
	pool_list(sink, &plan->spaces);
	mp_sink_text(sink, "}");
}

static void side(struct sink *sink, const char *name, const struct plan *plan,
	uint32_t tensor)
{
	const struct schedule *s = plan->schedule;
	const struct stay *stay;

	mp_emit_json_key(sink, ", ", name);
	if (tensor == NONE) {
		mp_sink_text(sink, "null");
		return;
	}
	stay = &s->stay[tensor];
	mp_emit_json_number(sink, "{", "offset", mp_plan_offset(plan, tensor));
	mp_emit_json_pool(sink, plan, tensor);
	mp_emit_json_number(sink, ", ", "size", s->graph->tensors[tensor].size);
	mp_emit_json_life(sink, s, stay);
	mp_sink_text(sink, "}");
}

static void tensors(struct sink *sink, const struct comparison *c,
	const char *name, const struct changes *changes, bool at_peak)
{
	mp_emit_json_open(sink, JSON_LINE, name);
	for (uint32_t i = 0; i < changes->n; i++) {
		const struct change *change = &changes->at[i];

		mp_emit_json_item(sink, i);
		mp_emit_json_tensor(sink, mp_compare_change_tensor(c, change));
		mp_emit_json_signed(sink, ", ", "change",
			(int64_t)(change->after - change->before));
		if (!at_peak) {
			side(sink, "old", c->old, change->old);
			side(sink, "new", c->new, change->new);
		}
		mp_sink_text(sink, "}");
	}
	mp_emit_json_close(sink, changes->n);
}

void mp_compare_json(const struct comparison *c, struct sink *sink)
{
	mp_sink_text(sink, "{\n  \"format\": \"memplan.comparison\"");
	mp_emit_json_number(sink, JSON_LINE, "version", 1);
	plan_object(sink, "old", c->old);
	plan_object(sink, "new", c->new);
	mp_emit_json_signed(sink, JSON_LINE, "change",
		(int64_t)(c->new->arena_size - c->old->arena_size));
	mp_emit_json_bool(sink, JSON_LINE, "grew",
		c->new->arena_size > c->old->arena_size);
	mp_emit_json_bool(sink, JSON_LINE, "peak_moved", c->peak_moved);
	mp_emit_json_number(
		sink, JSON_LINE, "moved_bytes", mp_compare_moved(c));
	tensors(sink, c, "peak", &c->peak, true);
	for (uint32_t k = 0; k < N_CHANGE_KINDS; k++)
		tensors(sink, c, mp_compare_change_name(k), &c->kinds[k],
			false);
	mp_sink_text(sink, "\n}\n");
}
