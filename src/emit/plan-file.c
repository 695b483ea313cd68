/*
 * plan: the plan as JSON. It is an input too: a graph that knows its lifetimes
 * and offsets. So it carries all that reading it again must give back, and a
 * plan of a plan has the same bytes. One tensor and one op a line, so that a
 * line-based diff of two plans is readable.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "emit/inside.h"
#include "emit/json-text.h"
#include "emit/rows.h"

/* The file says what is known or claimed; a bound that the input claimed keeps
 * the kind that it claimed. */
static const char *bound_kind(const struct plan *plan)
{
	if (plan->claimed_bound > 0 && plan->claimed_kind)
		return plan->claimed_kind;
	return mp_problem_bound_name(plan->bound_kind);
}

/* Of several pools any may have one. No tensors: there is none. */
static struct ids clique_of(const struct plan *plan)
{
	if (plan->spaces.at)
		return plan->clique;
	if (mp_problem_bound_find(bound_kind(plan)) != BOUND_CLIQUE)
		return (struct ids){NULL, 0};
	return plan->claimed_bound > 0 ? plan->claimed_clique : plan->clique;
}

static void head(struct sink *sink, const struct plan *plan)
{
	const struct schedule *s = plan->schedule;
	uint64_t bound = num_max(plan->lower_bound, plan->claimed_bound);
	struct ids clique = clique_of(plan);

	mp_sink_text(sink, "{\n  \"format\": \"memplan.plan\"");
	mp_emit_json_number(sink, JSON_LINE, "version", 1);
	mp_emit_json_text(sink, JSON_LINE, "name", s->graph->name);
	JSON_NUMBERS(sink, JSON_LINE, {"arena_size", plan->arena_size},
		{"theoretical_min", s->problem.theoretical_min},
		{"lower_bound", bound});
	mp_emit_json_text(sink, JSON_LINE, "bound_kind", bound_kind(plan));
	if (clique.n > 0) {
		mp_emit_json_key(sink, JSON_LINE, "clique");
		mp_emit_json_ids(sink, s->graph, clique);
	}
	mp_emit_json_bool(sink, JSON_LINE, "optimal",
		plan->arena_size == bound && plan->pairs_bound == 0);
	if (plan->pairs_bound > 0)
		mp_emit_json_number(
			sink, JSON_LINE, "pairs_bound", plan->pairs_bound);
	if (mp_emit_has_costs(s))
		JSON_NUMBERS(sink, JSON_LINE,
			{"reuse_cost_paid", plan->reuse_cost},
			{"reuse_cost_bound",
				num_max(plan->reuse_cost_bound,
					plan->claimed_cost_bound)});
	if (mp_emit_has_banks(s))
		JSON_NUMBERS(sink, JSON_LINE, {"bank_cost", plan->banks.cost},
			{"bank_cost_bound", num_max(plan->banks.bound,
						    plan->banks.claimed)});
	if (plan->cut_short)
		mp_emit_json_bool(sink, JSON_LINE, "cut_short", true);
	mp_emit_json_rounding(sink, s);
	if (s->problem.margins.base > s->problem.alignment)
		mp_emit_json_number(sink, JSON_LINE, "base_alignment",
			s->problem.margins.base);
	if (mp_graph_policy_said(s->graph->inputs))
		mp_emit_json_text(sink, JSON_LINE, "inputs",
			mp_graph_policy_said(s->graph->inputs));
	if (mp_graph_policy_said(s->graph->outputs))
		mp_emit_json_text(sink, JSON_LINE, "outputs",
			mp_graph_policy_said(s->graph->outputs));
	mp_emit_json_text(sink, JSON_LINE, "planner", mp_plan_planner(plan));
	mp_emit_buckets_json(sink, plan, true);
}

static void order(struct sink *sink, const struct schedule *s)
{
	mp_sink_text(sink, ",\n  \"order\": {\"name\": ");
	mp_sink_json(sink, s->order_name);
	mp_emit_json_list(
		sink, ", ", "ops", (struct ids){s->order, s->graph->n_ops});
	if (s->order_bound.bytes) {
		mp_emit_json_key(sink, ", ", "bound");
		mp_emit_json_number(sink, "{", "bytes", s->order_bound.bytes);
		mp_emit_json_text(sink, ", ", "kind", s->order_bound.kind);
		mp_emit_json_bool(
			sink, ", ", "inplace", s->order_bound.inplace);
		mp_emit_json_bool(sink, ", ", "first", s->order_bound.first);
		mp_emit_json_list(sink, ", ", "ops", s->order_bound.ops);
		mp_sink_text(sink, "}");
	}
	mp_sink_text(sink, "}");
}

/* Nothing else says that its bytes are never another's: neither what it is, nor
 * where all inputs or outputs are. */
static bool is_lifelong(const struct schedule *s, uint32_t t)
{
	const struct tensor *tensor = &s->graph->tensors[t];
	const char *policy = NULL;

	assert(t < s->graph->n_tensors);
	if (!s->stay[t].throughout || tensor->kind == KIND_WEIGHT ||
		tensor->kind == KIND_STATE)
		return false;
	if (tensor->kind == KIND_INPUT)
		policy = mp_graph_policy_said(s->graph->inputs);
	else if (tensor->kind == KIND_OUTPUT)
		policy = mp_graph_policy_said(s->graph->outputs);
	return !policy || strcmp(policy, "throughout") != 0;
}

/* A loop finds what is alive from the start, also where that is the loop's own
 * first step, so that the lifetime does not tell. */
static bool is_found_by_loops(const struct graph *graph, uint32_t t)
{
	const struct tensor *tensor = &graph->tensors[t];

	return graph->n_loops > 0 && tensor->from_start &&
	       tensor->producer != NONE;
}

static void tensor(
	struct sink *sink, const struct plan *plan, struct tied *tied)
{
	const struct schedule *s = plan->schedule;
	const struct tensor *tensor = &s->graph->tensors[tied->tensor];
	const struct stay *stay = &s->stay[tied->tensor];

	mp_emit_json_tensor(sink, tensor);
	mp_emit_json_number(
		sink, ", ", "offset", mp_plan_offset(plan, tied->tensor));
	mp_emit_json_pool(sink, plan, tied->tensor);
	mp_emit_json_number(sink, ", ", "size", tensor->size);
	mp_emit_json_life(sink, s, stay);
	if (tensor->kind != KIND_ACTIVATION)
		mp_emit_json_text(
			sink, ", ", "kind", mp_graph_kind_name(tensor->kind));
	if (is_lifelong(s, tied->tensor))
		mp_emit_json_text(sink, ", ", "lifelong", "all");
	else if (is_found_by_loops(s->graph, tied->tensor))
		mp_emit_json_text(sink, ", ", "lifelong", "start");
	if (tensor->align > s->problem.alignment)
		mp_emit_json_number(sink, ", ", "align", tensor->align);
	mp_emit_tied_emit(sink, s, tied);
	mp_sink_text(sink, "}");
}

static void tensors(struct sink *sink, const struct plan *plan)
{
	const struct schedule *s = plan->schedule;
	const char *between = "\n    ";
	struct tied tied = {0};

	mp_sink_text(sink, ",\n  \"tensors\": [");
	for (tied.tensor = 0; tied.tensor < s->graph->n_tensors;
		tied.tensor++) {
		if (s->graph->tensors[tied.tensor].external)
			continue;
		mp_sink_text(sink, between);
		tensor(sink, plan, &tied);
		between = ",\n    ";
	}
	mp_sink_text(sink, "\n  ]");
}

static void list(struct sink *sink, const char *name, const struct schedule *s,
	const struct ids *tensors)
{
	const char *between = "";

	mp_emit_json_open(sink, ", ", name);
	for (uint32_t i = 0; i < tensors->n; i++) {
		const struct tensor *tensor =
			&s->graph->tensors[tensors->at[i]];

		if (tensor->external)
			continue;
		mp_sink_text(sink, between);
		mp_emit_json_id(sink, tensor);
		between = ", ";
	}
	mp_sink_text(sink, "]");
}

static void pair(struct sink *sink, const char *before,
	const struct tensor *output, const struct tensor *input)
{
	mp_sink_text(sink, before);
	mp_sink_text(sink, "[");
	mp_emit_json_id(sink, output);
	mp_sink_text(sink, ", ");
	mp_emit_json_id(sink, input);
	mp_sink_text(sink, "]");
}

/* Which output takes over the bytes of which input: among streams disjoint
 * lifetimes do not say that the two are one buffer. */
static void inplace(
	struct sink *sink, const struct schedule *s, const struct op *step)
{
	const char *before = ", \"inplace\": [";
	bool any = false;

	for (uint32_t o = 0; o < step->outputs.n; o++)
		for (uint32_t i = 0; i < step->inputs.n; i++) {
			uint32_t output = step->outputs.at[o];
			uint32_t input = step->inputs.at[i];

			if (!mp_schedule_takes_over(s, output, input))
				continue;
			pair(sink, any ? ", " : before,
				&s->graph->tensors[output],
				&s->graph->tensors[input]);
			any = true;
		}
	if (any)
		mp_sink_text(sink, "]");
}

static void op(
	struct sink *sink, const struct schedule *s, const struct op *step)
{
	mp_sink_text(sink, "{\"name\": ");
	mp_sink_json(sink, step->name);
	if (step->type)
		mp_emit_json_text(sink, ", ", "type", step->type);
	if (step->stream)
		mp_emit_json_number(sink, ", ", "stream", step->stream);
	list(sink, "inputs", s, &step->inputs);
	list(sink, "outputs", s, &step->outputs);
	list(sink, "temporaries", s, &step->temporaries);
	if (s->problem.n_streams > 1) {
		/* What waits for what; on one stream the order says it. */
		mp_emit_json_list(sink, ", ", "after", step->before);
		inplace(sink, s, step);
	}
	if (step->cost_us)
		mp_emit_json_number(sink, ", ", "cost_us", step->cost_us);
	mp_sink_text(sink, "}");
}

static void ops(struct sink *sink, const struct schedule *s)
{
	mp_sink_text(sink, ",\n  \"ops\": [");
	for (uint32_t i = 0; i < s->graph->n_ops; i++) {
		mp_emit_json_item(sink, i);
		op(sink, s, &s->graph->ops[i]);
	}
	mp_sink_text(sink, "\n  ]");
}

void mp_emit_plan(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct schedule *s = results->schedule;

	head(sink, plan);
	order(sink, s);
	mp_emit_bundle_json(sink, plan);
	mp_emit_json_pools(sink, plan, true);
	tensors(sink, plan);
	mp_emit_relations_emit(sink, s, scratch);
	ops(sink, s);
	mp_sink_text(sink, "\n}\n");
}
