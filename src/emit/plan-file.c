/*
 * plan: the plan as JSON. It is an input too: a graph that knows its lifetimes
 * and offsets. So it carries all that reading it again must give back, and a
 * plan of a plan has the same bytes. One tensor and one op a line, so that a
 * line-based diff of two plans is readable.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "emit/bundle.h"
#include "emit/json-text.h"
#include "emit/rows.h"
#include "emit/tied.h"

/* A bound that the input claimed keeps the kind that it claimed. */
static const char *bound_kind(const struct plan *plan)
{
	if (plan->bound_kind == BOUND_CLAIM &&
		plan->problem->claimed_bound_kind)
		return plan->problem->claimed_bound_kind;
	return mp_problem_bound_name(plan->bound_kind);
}

static void head(struct sink *sink, const struct plan *plan)
{
	const struct problem *p = plan->problem;
	bool optimal = plan->arena_size == plan->lower_bound;

	mp_sink_text(sink, "{\n  \"format\": \"memplan.plan\"");
	mp_emit_json_number(sink, JSON_LINE, "version", 1);
	mp_emit_json_text(sink, JSON_LINE, "name", p->name);
	mp_emit_json_number(sink, JSON_LINE, "arena_size", plan->arena_size);
	mp_emit_json_number(
		sink, JSON_LINE, "theoretical_min", p->theoretical_min);
	mp_emit_json_number(sink, JSON_LINE, "lower_bound", plan->lower_bound);
	mp_emit_json_text(sink, JSON_LINE, "bound_kind", bound_kind(plan));
	mp_emit_json_bool(sink, JSON_LINE, "optimal", optimal);
	mp_emit_json_rounding(sink, p);
	if (p->margins.base > p->alignment)
		mp_emit_json_number(
			sink, JSON_LINE, "base_alignment", p->margins.base);
	if (p->inputs)
		mp_emit_json_text(sink, JSON_LINE, "inputs", p->inputs);
	if (p->outputs)
		mp_emit_json_text(sink, JSON_LINE, "outputs", p->outputs);
	mp_emit_json_text(sink, JSON_LINE, "planner", mp_plan_planner(plan));
}

static void op_list(struct sink *sink, const uint32_t *ops, uint32_t n)
{
	mp_emit_json_key(sink, ", ", "ops");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < n; i++) {
		if (i > 0)
			mp_sink_text(sink, ", ");
		mp_sink_u64(sink, ops[i]);
	}
	mp_sink_text(sink, "]");
}

static void order(struct sink *sink, const struct problem *p)
{
	mp_sink_text(sink, ",\n  \"order\": {\"name\": ");
	mp_sink_json(sink, p->order_name);
	op_list(sink, p->order, p->n_ops);
	if (p->order_bound) {
		mp_emit_json_key(sink, ", ", "bound");
		mp_emit_json_number(sink, "{", "bytes", p->order_bound);
		mp_emit_json_text(sink, ", ", "kind", p->order_bound_kind);
		mp_emit_json_bool(
			sink, ", ", "inplace", p->order_bound_inplace);
		mp_emit_json_bool(sink, ", ", "first", p->order_bound_first);
		op_list(sink, p->order_bound_ops, p->n_order_bound_ops);
		mp_sink_text(sink, "}");
	}
	mp_sink_text(sink, "}");
}

/* Nothing else says that its bytes are never another's: neither what it is, nor
 * where all inputs or outputs are. */
static bool is_lifelong(const struct problem *p, const struct item *item)
{
	const char *policy = NULL;

	if (!item->throughout || item->kind == ITEM_WEIGHT ||
		item->kind == ITEM_STATE)
		return false;
	if (item->kind == ITEM_INPUT)
		policy = p->inputs;
	else if (item->kind == ITEM_OUTPUT)
		policy = p->outputs;
	return !policy || strcmp(policy, "throughout") != 0;
}

static void tensor(
	struct sink *sink, const struct plan *plan, struct tied *tied)
{
	const struct problem *p = plan->problem;
	const struct item *item = &p->items[tied->item];

	mp_sink_text(sink, "{\"id\": ");
	mp_emit_json_id(sink, item);
	mp_emit_json_text(sink, ", ", "name", mp_problem_item_label(item));
	mp_emit_json_number(sink, ", ", "offset", mp_plan_offset(plan, item));
	if (plan->spaces.at && item->buffer != NONE)
		mp_emit_json_text(sink, ", ", "pool",
			plan->spaces.at[mp_plan_space(plan, item)].name);
	mp_emit_json_number(sink, ", ", "size", item->size);
	mp_emit_json_signed(
		sink, ", ", "start", mp_problem_time(p, item->start));
	mp_emit_json_signed(sink, ", ", "end", mp_problem_time(p, item->end));
	if (item->kind != ITEM_ACTIVATION)
		mp_emit_json_text(
			sink, ", ", "kind", mp_problem_item_kind(item->kind));
	if (is_lifelong(p, item))
		mp_emit_json_text(sink, ", ", "lifelong", "all");
	if (item->align > p->alignment)
		mp_emit_json_number(sink, ", ", "align", item->align);
	mp_emit_tied_emit(sink, p, tied);
	mp_sink_text(sink, "}");
}

static void tensors(struct sink *sink, const struct plan *plan)
{
	const struct problem *p = plan->problem;
	const char *between = "\n    ";
	struct tied tied = {0};

	mp_sink_text(sink, ",\n  \"tensors\": [");
	for (tied.item = 0; tied.item < p->n_items; tied.item++) {
		if (p->items[tied.item].external)
			continue;
		mp_sink_text(sink, between);
		tensor(sink, plan, &tied);
		between = ",\n    ";
	}
	mp_sink_text(sink, "\n  ]");
}

static void list(struct sink *sink, const char *name, const struct problem *p,
	const uint32_t *items, uint32_t n)
{
	const char *between = "";

	mp_emit_json_key(sink, ", ", name);
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < n; i++) {
		if (p->items[items[i]].external)
			continue;
		mp_sink_text(sink, between);
		mp_emit_json_id(sink, &p->items[items[i]]);
		between = ", ";
	}
	mp_sink_text(sink, "]");
}

/* What waits for what, where streams run beside each other. On one stream the
 * order says it. */
static void after(struct sink *sink, const struct step *step)
{
	mp_emit_json_key(sink, ", ", "after");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < step->n_after; i++) {
		mp_sink_text(sink, i > 0 ? ", " : "");
		mp_sink_u64(sink, step->after[i]);
	}
	mp_sink_text(sink, "]");
}

static void pair(struct sink *sink, const char *before,
	const struct item *output, const struct item *input)
{
	mp_sink_text(sink, before);
	mp_sink_text(sink, "[");
	mp_emit_json_id(sink, output);
	mp_sink_text(sink, ", ");
	mp_emit_json_id(sink, input);
	mp_sink_text(sink, "]");
}

/* Who takes over whose bytes: among streams disjoint lifetimes do not say that
 * the two are one buffer. */
static void inplace(
	struct sink *sink, const struct problem *p, const struct step *step)
{
	const char *before = ", \"inplace\": [";
	bool any = false;

	for (uint32_t o = 0; o < step->n_outputs; o++)
		for (uint32_t i = 0; i < step->n_inputs; i++) {
			const struct item *output = &p->items[step->outputs[o]];
			const struct item *input = &p->items[step->inputs[i]];

			if (!mp_problem_item_takes_over(output, input))
				continue;
			pair(sink, any ? ", " : before, output, input);
			any = true;
		}
	if (any)
		mp_sink_text(sink, "]");
}

static void op(
	struct sink *sink, const struct problem *p, const struct step *step)
{
	mp_sink_text(sink, "{\"name\": ");
	mp_sink_json(sink, step->name);
	if (step->type)
		mp_emit_json_text(sink, ", ", "type", step->type);
	if (step->stream)
		mp_emit_json_number(sink, ", ", "stream", step->stream);
	list(sink, "inputs", p, step->inputs, step->n_inputs);
	list(sink, "outputs", p, step->outputs, step->n_outputs);
	list(sink, "temporaries", p, step->temporaries, step->n_temporaries);
	if (p->n_streams > 1) {
		after(sink, step);
		inplace(sink, p, step);
	}
	if (step->cost_us)
		mp_emit_json_number(sink, ", ", "cost_us", step->cost_us);
	mp_sink_text(sink, "}");
}

static void ops(struct sink *sink, const struct problem *p)
{
	mp_sink_text(sink, ",\n  \"ops\": [");
	for (uint32_t i = 0; i < p->n_ops; i++) {
		mp_sink_text(sink, i > 0 ? ",\n    " : "\n    ");
		op(sink, p, &p->ops[i]);
	}
	mp_sink_text(sink, "\n  ]");
}

bool mp_emit_plan(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	(void)scratch;
	head(sink, plan);
	order(sink, plan->problem);
	mp_emit_bundle_json(sink, plan);
	mp_emit_json_pools(sink, plan);
	tensors(sink, plan);
	mp_emit_groups_emit(sink, plan->problem);
	mp_emit_relations_emit(sink, plan->problem);
	ops(sink, plan->problem);
	mp_sink_text(sink, "\n}\n");
	return e->code == MEMPLAN_OK;
}
