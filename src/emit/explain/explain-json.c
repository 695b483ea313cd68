/*
 * explain-json: what "explain" says, as one JSON object.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/explain/explain.h"

#include <assert.h>

#include "emit/json-text.h"
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

static void bottleneck(struct sink *sink, const struct schedule *s,
	const char *before, const char *name, struct bottleneck b)
{
	mp_emit_json_key(sink, before, name);
	mp_emit_json_number(sink, "{", "bytes", b.load);
	mp_emit_json_step(sink, ", ", "step", s, b.step);
	mp_emit_json_text(sink, ", ", "op", mp_schedule_op_name(s, b.step));
	mp_sink_text(sink, "}");
}

struct json {
	struct sink *sink;
	const struct plan *plan;
	struct uses uses;
	struct labels labels;
};

static void tensor(const struct json *json, uint32_t i)
{
	struct sink *sink = json->sink;
	const struct plan *plan = json->plan;
	const struct schedule *s = plan->schedule;
	const struct uses *uses = &json->uses;
	const struct tensor *tensor = &s->graph->tensors[i];
	struct ending ending = mp_problem_uses_ending(uses, s, i);
	uint64_t size = mp_graph_tensor_rounded(s->graph, tensor);

	assert(i < s->graph->n_tensors);
	mp_emit_json_tensor(sink, tensor);
	mp_emit_json_label(sink, &json->labels, i);
	mp_emit_json_text(sink, ", ", "kind", mp_graph_kind_name(tensor->kind));
	mp_emit_json_number(sink, ", ", "size", size);
	mp_emit_json_pool(sink, plan, i);
	mp_emit_json_life(sink, s, &s->stay[i]);
	mp_emit_json_step(sink, ", ", "made_at", s, uses->born[i]);
	mp_emit_json_text(sink, ", ", "kept_by", reasons[ending.reason]);
	mp_emit_json_step(sink, ", ", "kept_to", s, ending.step);
	mp_emit_json_text(
		sink, ", ", "kept_for", mp_schedule_op_name(s, ending.step));
	bottleneck(sink, s, ", ", "without",
		mp_emit_explain_without(&json->labels, i));
	mp_sink_text(sink, "}");
}

static void peak(const struct json *json, struct arena *scratch)
{
	struct sink *sink = json->sink;
	const struct schedule *s = json->plan->schedule;
	uint32_t n;
	struct alive *alive =
		mp_emit_peak_alive(s, s->problem.peak_step, &n, scratch);

	bottleneck(sink, s, JSON_LINE, "peak",
		(struct bottleneck){
			s->problem.listed_min, s->problem.peak_step});
	mp_emit_json_open(sink, JSON_LINE, "alive");
	for (uint32_t i = 0; i < n; i++) {
		mp_emit_json_item(sink, i);
		tensor(json, alive[i].tensor);
	}
	mp_sink_text(sink, "\n  ]");
}

static void pool(struct sink *sink, const struct plan *plan, uint32_t i,
	struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	const struct alive *alive;
	struct lane lane;
	uint32_t n;

	alive = mp_emit_explain_alive(plan, i, &lane, &n, scratch);
	if (!alive)
		return;
	mp_emit_json_text(sink, "{", "name", lane.space.name);
	mp_emit_json_capacity(sink, lane.space.capacity);
	mp_emit_json_number(sink, ", ", "arena_size", lane.space.size);
	bottleneck(sink, plan->schedule, ", ", "peak",
		(struct bottleneck){lane.load[lane.peak_step], lane.peak_step});
	mp_emit_json_open(sink, ", ", "alive");
	for (uint32_t k = 0; k < n; k++) {
		mp_sink_text(sink, k > 0 ? ", " : "");
		mp_emit_json_id(
			sink, &plan->schedule->graph->tensors[alive[k].tensor]);
	}
	mp_sink_text(sink, "]}");
	mp_arena_rewind(scratch, mark);
}

static void pools(
	struct sink *sink, const struct plan *plan, struct arena *scratch)
{
	if (!plan->spaces.at)
		return;
	mp_emit_json_open(sink, JSON_LINE, "pools");
	for (uint32_t i = 0; i < plan->spaces.n; i++) {
		mp_emit_json_item(sink, i);
		pool(sink, plan, i, scratch);
	}
	mp_sink_text(sink, "\n  ]");
}

static void order(struct sink *sink, const struct results *results)
{
	const struct order_result *order = results->orders;

	if (results->n_orders == 0)
		return;
	mp_emit_json_key(sink, JSON_LINE, "better_order");
	mp_emit_json_text(sink, "{", "name", order->name);
	JSON_NUMBERS(sink, ", ", {"theoretical_min", order->peak},
		{"lower_bound", order->lower_bound});
	mp_sink_text(sink, "}");
}

static void reads(struct sink *sink, const struct schedule *s,
	const struct uses *uses, uint32_t tensor)
{
	mp_emit_json_open(sink, ", ", "read_at");
	for (uint32_t i = uses->first[tensor]; i < uses->first[tensor + 1];
		i++) {
		if (i > uses->first[tensor])
			mp_sink_text(sink, ", ");
		mp_sink_i64(sink, mp_problem_time(&s->problem, uses->steps[i]));
	}
	mp_sink_text(sink, "]");
}

static void pair(const struct json *json, const struct results *results)
{
	struct sink *sink = json->sink;
	const struct schedule *s = results->schedule;
	const uint32_t *pair = results->pair;
	const struct stay *a = &s->stay[pair[0]], *b = &s->stay[pair[1]];
	uint32_t start = a->start > b->start ? a->start : b->start;
	uint32_t end = a->end < b->end ? a->end : b->end;

	assert(pair[0] != pair[1]);
	mp_emit_json_key(sink, JSON_LINE, "pair");
	mp_emit_json_bool(sink, "{", "conflict",
		a->buffer != NONE && b->buffer != NONE && start < end);
	mp_emit_json_step(sink, ", ", "from", s, start < end ? start : NONE);
	mp_emit_json_step(sink, ", ", "to", s, start < end ? end : NONE);
	mp_emit_json_key(sink, ", ", "tensors");
	for (uint32_t i = 0; i < 2; i++) {
		mp_sink_text(sink,
			i ? ",\n    {\"tensor\": " : "[\n    {\"tensor\": ");
		tensor(json, pair[i]);
		reads(sink, s, &json->uses, pair[i]);
		mp_sink_text(sink, "}");
	}
	mp_sink_text(sink, "]}");
}

static void advice_line(struct sink *sink, const struct schedule *s,
	const struct advice *advice)
{
	mp_emit_json_text(sink, "{", "kind", kinds[advice->kind]);
	JSON_NUMBERS(sink, ", ", {"theoretical_min", advice->peak},
		{"saves", s->problem.theoretical_min - advice->peak});
	if (advice->kind != ADVICE_BATCH) {
		if (advice->kind != ADVICE_SWAP)
			mp_emit_json_number(sink, ", ", "op", advice->op);
		mp_emit_json_key(sink, ", ", "tensor");
		mp_emit_json_id(sink, &s->graph->tensors[advice->tensor]);
		JSON_NUMBERS(
			sink, ", ", {"from", advice->from}, {"to", advice->to});
	}
	if (advice->kind == ADVICE_INPLACE) {
		mp_emit_json_key(sink, ", ", "output");
		mp_emit_json_id(sink, &s->graph->tensors[advice->other]);
	}
	mp_sink_text(sink, "}");
}

static void suggestions(struct sink *sink, const struct results *results)
{
	mp_emit_json_open(sink, JSON_LINE, "suggestions");
	for (uint32_t i = 0; i < results->n_advice; i++) {
		mp_emit_json_item(sink, i);
		advice_line(sink, results->schedule, &results->advice[i]);
	}
	mp_sink_text(sink, "\n  ]");
}

void mp_emit_explain_json(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct schedule *s = plan->schedule;
	struct json json = {.sink = sink, .plan = plan};

	if (!mp_problem_uses_init(&json.uses, s, scratch) ||
		!mp_emit_labels_find(&json.labels, s, scratch))
		return;
	mp_emit_json_text(sink, "{\n  ", "name", s->graph->name);
	mp_emit_json_rounding(sink, s);
	JSON_NUMBERS(sink, JSON_LINE, {"arena_size", plan->arena_size},
		{"theoretical_min", s->problem.theoretical_min},
		{"lower_bound", plan->lower_bound});
	mp_emit_json_text(sink, JSON_LINE, "order", s->order_name);
	peak(&json, scratch);
	pools(sink, plan, scratch);
	order(sink, results);
	if (results->pair[0] != results->pair[1])
		pair(&json, results);
	else
		suggestions(sink, results);
	mp_sink_text(sink, "\n}\n");
}
