/*
 * explain-json: what "explain" says, as one JSON object.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/explain/explain.h"

#include "emit/json-text.h"
#include "emit/peak.h"
#include "emit/rows.h"

static const char *const reasons[] = {
	[ALIVE_FOR_READER] = "reader",
	[ALIVE_TO_END] = "end",
	[ALIVE_TAKEN_OVER] = "in-place",
	[ALIVE_UNREAD] = "unread",
	[ALIVE_AS_SAID] = "input",
};

static const char *const kinds[] = {
	[ADVICE_INPLACE] = "in-place",
	[ADVICE_MOVE] = "move",
	[ADVICE_RECOMPUTE] = "recompute",
	[ADVICE_SWAP] = "swap",
	[ADVICE_BATCH] = "batch",
};

static void step(struct sink *sink, const struct problem *p, const char *before,
	const char *name, uint32_t k)
{
	if (k == NONE) {
		mp_emit_json_text(sink, before, name, NULL);
		return;
	}
	mp_emit_json_signed(sink, before, name, mp_problem_time(p, k));
}

static void bottleneck(struct sink *sink, const struct problem *p,
	const char *before, const char *name, struct bottleneck b)
{
	mp_emit_json_key(sink, before, name);
	mp_emit_json_number(sink, "{", "bytes", b.load);
	step(sink, p, ", ", "step", b.step);
	mp_emit_json_text(sink, ", ", "op", mp_problem_uses_op(p, b.step));
	mp_sink_text(sink, "}");
}

static void tensor(struct sink *sink, const struct plan *plan,
	const struct uses *uses, uint32_t i)
{
	const struct problem *p = plan->problem;
	const struct item *item = &p->items[i];
	struct stay stay = mp_problem_uses_stay(uses, p, i);
	uint64_t size = mp_problem_item_rounded(p, item);

	mp_sink_text(sink, "{\"id\": ");
	mp_emit_json_id(sink, item);
	mp_emit_json_text(sink, ", ", "name", mp_problem_item_label(item));
	mp_emit_json_text(sink, ", ", "kind", mp_problem_item_kind(item->kind));
	mp_emit_json_number(sink, ", ", "size", size);
	if (plan->spaces.at && item->buffer != NONE)
		mp_emit_json_text(sink, ", ", "pool",
			plan->spaces.at[mp_plan_space(plan, item)].name);
	step(sink, p, ", ", "start", item->start);
	step(sink, p, ", ", "end", item->end);
	step(sink, p, ", ", "made_at", uses->born[i]);
	mp_emit_json_text(sink, ", ", "kept_by", reasons[stay.reason]);
	step(sink, p, ", ", "kept_to", stay.step);
	mp_emit_json_text(
		sink, ", ", "kept_for", mp_problem_uses_op(p, stay.step));
	bottleneck(sink, p, ", ", "without", mp_problem_uses_without(p, i));
	mp_sink_text(sink, "}");
}

static bool peak(struct sink *sink, const struct plan *plan,
	const struct uses *uses, struct arena *scratch)
{
	const struct problem *p = plan->problem;
	const char *between = "\n    ";
	uint32_t n;
	struct alive *alive = mp_emit_peak_alive(p, &n, scratch);

	if (!alive)
		return false;
	bottleneck(sink, p, JSON_LINE, "peak",
		(struct bottleneck){p->listed_min, p->peak_step});
	mp_emit_json_key(sink, JSON_LINE, "alive");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < n; i++) {
		mp_sink_text(sink, between);
		tensor(sink, plan, uses, alive[i].item);
		between = ",\n    ";
	}
	mp_sink_text(sink, "\n  ]");
	return true;
}

static bool pool(struct sink *sink, const struct plan *plan, uint32_t i,
	struct arena *scratch, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	const struct alive *alive;
	struct lane lane;
	uint32_t n;

	alive = mp_emit_explain_alive(plan, i, &lane, &n, scratch, e);
	if (!alive)
		return false;
	mp_emit_json_text(sink, "{", "name", lane.space.name);
	if (lane.space.capacity != NO_CAPACITY)
		mp_emit_json_number(
			sink, ", ", "capacity", lane.space.capacity);
	mp_emit_json_number(sink, ", ", "arena_size", lane.space.size);
	bottleneck(sink, plan->problem, ", ", "peak",
		(struct bottleneck){lane.load[lane.peak_step], lane.peak_step});
	mp_emit_json_key(sink, ", ", "alive");
	mp_sink_text(sink, "[");
	for (uint32_t k = 0; k < n; k++) {
		mp_sink_text(sink, k > 0 ? ", " : "");
		mp_emit_json_id(sink, &plan->problem->items[alive[k].item]);
	}
	mp_sink_text(sink, "]}");
	mp_arena_rewind(scratch, mark);
	return true;
}

static bool pools(struct sink *sink, const struct plan *plan,
	struct arena *scratch, struct error *e)
{
	if (!plan->spaces.at)
		return true;
	mp_emit_json_key(sink, JSON_LINE, "pools");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < plan->spaces.n; i++) {
		mp_sink_text(sink, i > 0 ? ",\n    " : "\n    ");
		if (!pool(sink, plan, i, scratch, e))
			return false;
	}
	mp_sink_text(sink, "\n  ]");
	return true;
}

static void order(struct sink *sink, const struct plan *plan)
{
	if (plan->n_orders == 0)
		return;
	mp_emit_json_key(sink, JSON_LINE, "better_order");
	mp_emit_json_text(sink, "{", "name", plan->orders->name);
	mp_emit_json_number(sink, ", ", "theoretical_min", plan->orders->peak);
	mp_emit_json_number(
		sink, ", ", "lower_bound", plan->orders->lower_bound);
	mp_sink_text(sink, "}");
}

static void reads(struct sink *sink, const struct problem *p,
	const struct uses *uses, uint32_t item)
{
	mp_emit_json_key(sink, ", ", "read_at");
	mp_sink_text(sink, "[");
	for (uint32_t i = uses->first[item]; i < uses->first[item + 1]; i++) {
		if (i > uses->first[item])
			mp_sink_text(sink, ", ");
		mp_sink_i64(sink, mp_problem_time(p, uses->steps[i]));
	}
	mp_sink_text(sink, "]");
}

static void pair(
	struct sink *sink, const struct plan *plan, const struct uses *uses)
{
	const struct problem *p = plan->problem;
	const struct item *a = &p->items[plan->pair[0]];
	const struct item *b = &p->items[plan->pair[1]];
	uint32_t start = a->start > b->start ? a->start : b->start;
	uint32_t end = a->end < b->end ? a->end : b->end;

	if (plan->pair[0] == plan->pair[1])
		return;
	mp_emit_json_key(sink, JSON_LINE, "pair");
	mp_emit_json_bool(sink, "{", "conflict",
		a->buffer != NONE && b->buffer != NONE && start < end);
	step(sink, p, ", ", "from", start < end ? start : NONE);
	step(sink, p, ", ", "to", start < end ? end : NONE);
	mp_emit_json_key(sink, ", ", "tensors");
	for (uint32_t i = 0; i < 2; i++) {
		mp_sink_text(sink,
			i ? ",\n    {\"tensor\": " : "[\n    {\"tensor\": ");
		tensor(sink, plan, uses, plan->pair[i]);
		reads(sink, p, uses, plan->pair[i]);
		mp_sink_text(sink, "}");
	}
	mp_sink_text(sink, "]}");
}

static void advice_line(
	struct sink *sink, const struct problem *p, const struct advice *advice)
{
	mp_emit_json_text(sink, "{", "kind", kinds[advice->kind]);
	mp_emit_json_number(sink, ", ", "theoretical_min", advice->peak);
	mp_emit_json_number(
		sink, ", ", "saves", p->theoretical_min - advice->peak);
	if (advice->kind != ADVICE_BATCH) {
		if (advice->kind != ADVICE_SWAP)
			mp_emit_json_number(sink, ", ", "op", advice->op);
		mp_emit_json_key(sink, ", ", "tensor");
		mp_emit_json_id(sink, &p->items[advice->item]);
		mp_emit_json_number(sink, ", ", "from", advice->from);
		mp_emit_json_number(sink, ", ", "to", advice->to);
	}
	if (advice->kind == ADVICE_INPLACE) {
		mp_emit_json_key(sink, ", ", "output");
		mp_emit_json_id(sink, &p->items[advice->other]);
	}
	mp_sink_text(sink, "}");
}

static void suggestions(struct sink *sink, const struct plan *plan)
{
	mp_emit_json_key(sink, JSON_LINE, "suggestions");
	mp_sink_text(sink, "[");
	for (uint32_t i = 0; i < plan->n_advice; i++) {
		mp_sink_text(sink, i ? ",\n    " : "\n    ");
		advice_line(sink, plan->problem, &plan->advice[i]);
	}
	mp_sink_text(sink, "\n  ]");
}

bool mp_emit_explain_json(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct problem *p = plan->problem;
	struct uses uses;

	if (!mp_problem_uses_init(&uses, p, scratch))
		return false;
	mp_sink_text(sink, "{\n  \"name\": ");
	mp_sink_json(sink, p->name);
	mp_emit_json_rounding(sink, p);
	mp_emit_json_number(sink, JSON_LINE, "arena_size", plan->arena_size);
	mp_emit_json_number(
		sink, JSON_LINE, "theoretical_min", p->theoretical_min);
	mp_emit_json_number(sink, JSON_LINE, "lower_bound", plan->lower_bound);
	mp_emit_json_text(sink, JSON_LINE, "order", p->order_name);
	if (!peak(sink, plan, &uses, scratch) || !pools(sink, plan, scratch, e))
		return false;
	order(sink, plan);
	pair(sink, plan, &uses);
	suggestions(sink, plan);
	mp_sink_text(sink, "\n}\n");
	return e->code == MEMPLAN_OK;
}
