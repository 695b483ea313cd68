/*
 * A graph or plan document becomes a graph. The readers of graph JSON and of
 * plan JSON: formats memplan.graph and memplan.plan, version 1; see
 * docs/formats/graph-json.md and plan-json.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/document/build.h"

#include <assert.h>

#include "base/sink-text.h"
#include "input/rows.h"

enum {
	DEFAULT_ALIGNMENT = 512, /* of a graph: what device allocators give */
	MOST_TENSORS = 1 << 28,
};

static const struct json_key keys[N_DOCUMENT_KEYS] = {
	{"keep_order", false},
	{"first", false},
	{"last", false},
	{"barriers", false},
	{"max_displacement", false},
	{"batch", false},
	{"alignment", false},
	{"format", true},
	{"version", true},
	{"name", false},
	{"pools", false},
	{"tensors", true},
	{"ops", false},
	{"groups", false},
	{"inputs", false},
	{"outputs", false},
	{"apart", false},
	{"reuse_cost", false},
	{"reserved", false},
	{"exclusive", false},
	{"loops", false},
	{"alignment", true},
	{"arena_size", false},
	{"theoretical_min", false},
	{"lower_bound", false},
	{"bound_kind", false},
	{"clique", false},
	{"optimal", false},
	{"pairs_bound", false},
	{"reuse_cost_paid", false},
	{"reuse_cost_bound", false},
	{"bank_cost", false},
	{"bank_cost_bound", false},
	{"cut_short", false},
	{"target", false},
	{"padding", false},
	{"base_alignment", false},
	{"planner", false},
	{"order", false},
	{"together", false},
	{"graphs", false},
	{"buckets", false},
	{"same_offsets", false},
};

static bool read_policy(const struct json_at *at, uint8_t *policy)
{
	const char *text = NULL;
	enum policy found;

	if (!mp_json_text(at, &text) || !text)
		return !at->value;
	found = mp_graph_policy_find(text);
	*policy = (uint8_t)found;
	return found != N_POLICIES ||
	       mp_json_fail(at,
		       "unknown policy '%.40s': inside, external or throughout",
		       text);
}

/* Of a graph only. */
static bool read_batch(const struct json_at *at, uint64_t *batch)
{
	if (!at->value)
		return true;
	return mp_json_integer(at, batch) &&
	       (*batch > 0 || mp_json_fail(at, "must be at least 1"));
}

/* -------------------------------------------------------- lifetimes */

/* With ops, lifetimes are in steps. */
static bool pin_to_steps(struct build *b, const struct json_at *tensors)
{
	struct json_at item = mp_json_first(tensors);
	uint32_t n_ops = b->graph->n_ops;

	for (uint32_t i = 0; i < b->n_listed; i++, mp_json_next(&item)) {
		struct tensor *tensor = &b->graph->tensors[i];

		if (!tensor->pinned)
			continue;
		if (b->span[i].start < 0 || b->span[i].end > n_ops)
			return mp_json_fail(&item,
				"a lifetime must lie within the steps 0 to %u "
				"of the %u op%s",
				n_ops, n_ops, mp_text_plural(n_ops));
		tensor->start = (uint32_t)b->span[i].start;
		tensor->end = (uint32_t)b->span[i].end;
	}
	return true;
}

/* Without ops, lifetimes are in times of any kind. */
static bool pin_to_times(struct build *b, const struct json_at *tensors)
{
	struct json_at item = mp_json_first(tensors);

	for (uint32_t i = 0; i < b->n_listed; i++, mp_json_next(&item)) {
		if (!b->graph->tensors[i].pinned &&
			!b->graph->tensors[i].external)
			return mp_json_fail(
				&item, "needs a lifetime, as there are no ops");
		if (b->graph->tensors[i].pinned &&
			b->span[i].start == b->span[i].end)
			return mp_json_fail(&item,
				"a lifetime [start, end) must start before it "
				"ends, as there are no ops");
	}
	return mp_input_times_compress(
		b->graph, b->span, b->n_listed, &b->gaps, b->arena);
}

/* Gaps in steps. They lie within lifetimes, which has been checked. */
static void pin_gaps(struct build *b)
{
	for (uint32_t i = 0; b->graph->n_ops > 0 && i < b->gaps.n; i++) {
		assert(b->gaps.spans[i].start >= 0 &&
			b->gaps.spans[i].end <= b->graph->n_ops);
		b->gaps.at[i].start = (uint32_t)b->gaps.spans[i].start;
		b->gaps.at[i].end = (uint32_t)b->gaps.spans[i].end;
	}
	b->graph->ties.gaps = b->gaps.at;
	b->graph->ties.n_gaps = b->gaps.n;
}

/* A state is alive throughout. In plans the verifier checks that. */
static bool check_states(const struct build *b, const struct json_at *tensors)
{
	struct json_at item = mp_json_first(tensors);
	const struct graph *graph = b->graph;
	uint32_t end = graph->n_ops ? graph->n_ops : graph->n_steps;

	for (uint32_t i = 0; i < b->n_listed; i++, mp_json_next(&item)) {
		const struct tensor *tensor = &graph->tensors[i];

		if (tensor->kind == KIND_STATE && tensor->pinned &&
			!tensor->external &&
			(tensor->start > 0 || tensor->end < end))
			return mp_json_fail(&item,
				"tensor '%.60s' is a state, which is kept "
				"between runs: its lifetime must be all of the "
				"run",
				mp_graph_tensor_label(tensor));
	}
	return true;
}

static bool pin_all(struct build *b, const struct json_at *tensors)
{
	if (b->graph->n_ops ? !pin_to_steps(b, tensors)
			    : !pin_to_times(b, tensors))
		return false;
	pin_gaps(b);
	return b->is_plan || check_states(b, tensors);
}

/* Every activation and output needs a producer, a lifetime or a base tensor. */
static bool check_births(struct build *b, const struct json_at *tensors)
{
	struct json_at item = mp_json_first(tensors);

	for (uint32_t i = 0; i < b->n_listed; i++, mp_json_next(&item)) {
		const struct tensor *tensor = &b->graph->tensors[i];

		if (b->writer[i] || tensor->pinned || tensor->external ||
			tensor->size == 0 || mp_input_build_is_alias(b, i))
			continue;
		if (tensor->kind == KIND_ACTIVATION)
			return mp_json_fail(&item,
				"no op produces tensor '%.60s': give it the "
				"kind input, or a lifetime",
				mp_graph_tensor_label(tensor));
		if (tensor->kind == KIND_OUTPUT)
			return mp_json_fail(&item,
				"no op produces the output '%.60s'",
				mp_graph_tensor_label(tensor));
	}
	return true;
}

/* ------------------------------------------------------------ build */

static bool make_room(
	struct build *b, const struct json_at *ops, uint64_t n_values)
{
	struct graph *graph = b->graph;
	uint64_t n = b->n_listed;

	assert(b->n_listed <= n_values);
	if (!b->is_plan && graph->n_ops > 0)
		n += mp_json_total(ops, "temporaries");
	if (n_values > MOST_TENSORS)
		return mp_json_fail(ops, "is too large");
	b->n_tensors = b->n_listed;
	graph->is_document = true;
	graph->n_listed = b->n_listed;
	graph->n_tensors = (uint32_t)n;
	graph->tensors = NEW(b->arena, struct tensor, n);
	graph->ops = NEW(b->arena, struct op, graph->n_ops);
	b->span = NEW(b->arena, struct time_span, b->n_listed);
	b->writer = NEW(b->arena, uint32_t, n);
	b->reader = NEW(b->arena, uint32_t, n);
	b->list = NEW(b->arena, uint32_t, n_values);
	return graph->tensors && graph->ops && b->span && b->writer &&
	       b->reader && b->list;
}

static bool read_graph(struct build *b, const struct json_at *tensors,
	const struct json_at *ops)
{
	if (!mp_json_list(tensors, &b->n_listed) ||
		!mp_json_list(ops, &b->graph->n_ops) ||
		!make_room(b, ops, ops->json->n_values) ||
		!mp_input_build_tensors(b, tensors))
		return false;
	if (b->graph->n_ops == 0)
		return pin_all(b, tensors) &&
		       mp_input_build_aliases(b, tensors);
	return mp_input_build_ops(b, ops) && pin_all(b, tensors) &&
	       mp_input_build_aliases(b, tensors) && check_births(b, tensors);
}

static bool read_document(
	struct build *b, const struct json_at *root, uint64_t alignment)
{
	uint32_t first = b->is_plan ? KEY_FORMAT : 0;
	uint32_t end = b->is_plan ? N_DOCUMENT_KEYS : KEY_PLAN_ALIGNMENT;
	struct graph *graph = b->graph;
	struct json_at found[N_DOCUMENT_KEYS];

	graph->alignment = DEFAULT_ALIGNMENT;
	if (!mp_json_is_format(
		    root, b->is_plan ? "memplan.plan" : "memplan.graph") ||
		!mp_json_pick(root, keys + first, end - first, found + first) ||
		!mp_json_copy(&found[KEY_NAME], &graph->name, b->arena) ||
		!mp_input_build_alignment(
			&found[b->is_plan ? KEY_PLAN_ALIGNMENT : KEY_ALIGNMENT],
			&graph->alignment))
		return false;
	b->pool_alignment = graph->alignment;
	if (alignment != 0)
		graph->alignment = alignment;
	return (b->is_plan || read_batch(&found[KEY_BATCH], &graph->batch)) &&
	       mp_input_build_pools(b, &found[KEY_POOLS]) &&
	       read_policy(&found[KEY_INPUTS], &graph->inputs) &&
	       read_policy(&found[KEY_OUTPUTS], &graph->outputs) &&
	       read_graph(b, &found[KEY_TENSORS], &found[KEY_OPS]) &&
	       mp_input_build_groups(b, &found[KEY_GROUPS]) &&
	       mp_input_build_relations(b, found) &&
	       mp_input_build_loops(b, &found[KEY_LOOPS]) &&
	       (b->is_plan ? mp_input_build_results(b, found)
			   : mp_input_build_constraints(b, found));
}

static bool read_as(bool is_plan, const struct input *input,
	struct graph *graph, struct arena *arena, struct error *e)
{
	struct build build = {
		.graph = graph, .is_plan = is_plan, .arena = arena, .error = e};
	struct json json;
	struct json_at root;
	bool fine = mp_json_open(&input->files[ROLE_MAIN], &json, arena, e);

	root = mp_json_root(&json);
	fine = fine && read_document(&build, &root, input->alignment);
	mp_json_close(&json);
	return fine;
}

bool mp_input_graph_json_recognise(const struct input_file *file)
{
	return *mp_json_begin(file) == '{';
}

bool mp_input_graph_json_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	return read_as(false, input, graph, arena, e);
}

bool mp_input_plan_json_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	return read_as(true, input, graph, arena, e);
}
