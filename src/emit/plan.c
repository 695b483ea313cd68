/*
 * plan: the plan as JSON. It is an input too: a graph that knows its lifetimes
 * and offsets. So it carries all that reading it again must give back, and a
 * plan of a plan has the same bytes. One tensor and one op a line, so that a
 * line-based diff of two plans is readable.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "emit/rows.h"
#include "emit/text.h"

static const char *const kinds[] = {
	[ITEM_ACTIVATION] = "activation",
	[ITEM_INPUT] = "input",
	[ITEM_OUTPUT] = "output",
	[ITEM_WEIGHT] = "weight",
	[ITEM_STATE] = "state",
	[ITEM_TEMPORARY] = "temporary",
};

static void key(struct sink *sink, const char *name)
{
	mp_sink_text(sink, ", \"");
	mp_sink_text(sink, name);
	mp_sink_text(sink, "\": ");
}

static void number(struct sink *sink, const char *name, uint64_t value)
{
	key(sink, name);
	mp_sink_u64(sink, value);
}

/* ---------------------------------------------------------------- contents */

static void top_number(struct sink *sink, const char *name, uint64_t value)
{
	mp_sink_text(sink, ",\n  \"");
	mp_sink_text(sink, name);
	mp_sink_text(sink, "\": ");
	mp_sink_u64(sink, value);
}

static void top_text(struct sink *sink, const char *name, const char *text)
{
	mp_sink_text(sink, ",\n  \"");
	mp_sink_text(sink, name);
	mp_sink_text(sink, "\": ");
	mp_sink_json(sink, text);
}

/* A bound that the input claimed keeps the kind that it claimed. */
static const char *bound_kind(const struct plan *plan)
{
	if (plan->bound_kind == BOUND_CLAIM &&
		plan->problem->claimed_bound_kind)
		return plan->problem->claimed_bound_kind;
	return mp_bound_name(plan->bound_kind);
}

/* Offsets taken as they were belong to the planner that made them. */
static const char *planner(const struct plan *plan)
{
	if (strcmp(plan->planner, "given") == 0 &&
		plan->problem->claimed_planner)
		return plan->problem->claimed_planner;
	return plan->planner;
}

static void head(struct sink *sink, const struct plan *plan)
{
	const struct problem *p = plan->problem;
	bool optimal = plan->arena_size == plan->lower_bound;

	mp_sink_text(sink, "{\n  \"format\": \"memplan.plan\"");
	top_number(sink, "version", 1);
	top_text(sink, "name", p->name);
	top_number(sink, "arena_size", plan->arena_size);
	top_number(sink, "theoretical_min", p->theoretical_min);
	top_number(sink, "lower_bound", plan->lower_bound);
	top_text(sink, "bound_kind", bound_kind(plan));
	mp_sink_text(sink, ",\n  \"optimal\": ");
	mp_sink_text(sink, optimal ? "true" : "false");
	top_number(sink, "alignment", p->alignment);
	top_text(sink, "planner", planner(plan));
}

static void order(struct sink *sink, const struct problem *p)
{
	mp_sink_text(sink, ",\n  \"order\": {\"name\": ");
	mp_sink_json(sink, p->order_name);
	key(sink, "ops");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < p->n_ops; i++) {
		if (i > 0)
			mp_sink_text(sink, ", ");
		mp_sink_u64(sink, p->order[i]);
	}
	mp_sink_text(sink, "]}");
}

static void id(struct sink *sink, const struct item *item)
{
	if (item->id && item->id_is_number)
		mp_sink_text(sink, item->id);
	else
		mp_sink_json(sink, item->id ? item->id : mp_item_label(item));
}

static void tensor(
	struct sink *sink, const struct plan *plan, const struct item *item)
{
	const struct problem *p = plan->problem;

	mp_sink_text(sink, "{\"id\": ");
	id(sink, item);
	key(sink, "name");
	mp_sink_json(sink, mp_item_label(item));
	number(sink, "offset", mp_plan_offset(plan, item));
	number(sink, "size", item->size);
	key(sink, "start");
	mp_sink_i64(sink, mp_problem_time(p, item->start));
	key(sink, "end");
	mp_sink_i64(sink, mp_problem_time(p, item->end));
	if (item->kind != ITEM_ACTIVATION) {
		key(sink, "kind");
		mp_sink_json(sink, kinds[item->kind]);
	}
	if (item->align > p->alignment)
		number(sink, "align", item->align);
	mp_sink_text(sink, "}");
}

static void tensors(struct sink *sink, const struct plan *plan)
{
	const struct problem *p = plan->problem;
	const char *between = "\n    ";

	mp_sink_text(sink, ",\n  \"tensors\": [");
	for (uint32_t i = 0; i < p->n_items; i++) {
		if (p->items[i].external)
			continue;
		mp_sink_text(sink, between);
		tensor(sink, plan, &p->items[i]);
		between = ",\n    ";
	}
	mp_sink_text(sink, "\n  ]");
}

static void list(struct sink *sink, const char *name, const struct problem *p,
	const uint32_t *items, uint32_t n)
{
	const char *between = "";

	key(sink, name);
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < n; i++) {
		if (p->items[items[i]].external)
			continue;
		mp_sink_text(sink, between);
		id(sink, &p->items[items[i]]);
		between = ", ";
	}
	mp_sink_text(sink, "]");
}

static void op(
	struct sink *sink, const struct problem *p, const struct step *step)
{
	mp_sink_text(sink, "{\"name\": ");
	mp_sink_json(sink, step->name);
	if (step->type) {
		key(sink, "type");
		mp_sink_json(sink, step->type);
	}
	if (step->stream)
		number(sink, "stream", step->stream);
	list(sink, "inputs", p, step->inputs, step->n_inputs);
	list(sink, "outputs", p, step->outputs, step->n_outputs);
	list(sink, "temporaries", p, step->temporaries, step->n_temporaries);
	if (step->cost_us)
		number(sink, "cost_us", step->cost_us);
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
	tensors(sink, plan);
	ops(sink, plan->problem);
	mp_sink_text(sink, "\n}\n");
	return e->code == MEMPLAN_OK;
}
