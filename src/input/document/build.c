/*
 * A graph or plan document becomes a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/document/build.h"

#include <assert.h>
#include <string.h>

#include "graph/io-policy.h"

enum {
	MOST_ALIGNMENT = 1 << 30,
	MOST_TENSORS = 1 << 28,
};

bool mp_input_build_format(const struct json_at *format,
	const struct json_at *version, const char *wanted)
{
	const char *text = NULL;
	uint64_t number = 0;

	if (!mp_json_text(format, &text))
		return false;
	if (strcmp(text, wanted) != 0)
		return mp_json_fail(
			format, "must be \"%s\", not \"%.40s\"", wanted, text);
	if (!mp_json_integer(version, JSON_MAX_INTEGER, &number))
		return false;
	return number == 1 ||
	       mp_json_fail(version, "must be 1: no other version is known");
}

bool mp_input_build_alignment(const struct json_at *at, uint64_t *alignment)
{
	if (!mp_json_integer(at, JSON_MAX_INTEGER, alignment))
		return false;
	return !at->value ||
	       (num_is_pow2(*alignment) && *alignment <= MOST_ALIGNMENT) ||
	       mp_json_fail(at, "must be a power of two from 1 to %d",
		       MOST_ALIGNMENT);
}

bool mp_input_build_policy(const struct json_at *at, uint8_t *policy)
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
				"of the %u ops",
				n_ops, n_ops);
		tensor->start = (uint32_t)b->span[i].start;
		tensor->end = (uint32_t)b->span[i].end;
	}
	return true;
}

/* Without ops, lifetimes are in times of any kind. */
static bool pin_to_times(struct build *b, const struct json_at *tensors)
{
	struct json_at item = mp_json_first(tensors);

	for (uint32_t i = 0; i < b->n_listed; i++, mp_json_next(&item))
		if (!b->graph->tensors[i].pinned &&
			!b->graph->tensors[i].external)
			return mp_json_fail(
				&item, "needs a lifetime, as there are no ops");
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

static uint64_t count_temporaries(const struct json_at *ops)
{
	uint64_t total = 0;
	uint32_t n;

	for (struct json_at m = mp_json_first(ops); m.value; mp_json_next(&m)) {
		struct json_at list = mp_json_find(&m, "temporaries");

		if (list.value && mp_json_is_list(&list) &&
			mp_json_list(&list, &n))
			total += n;
	}
	return total;
}

static bool make_room(
	struct build *b, const struct json_at *ops, uint64_t n_values)
{
	struct graph *graph = b->graph;
	uint64_t n = b->n_listed;

	assert(b->n_listed <= n_values);
	if (!b->is_plan && graph->n_ops > 0)
		n += count_temporaries(ops);
	if (n_values > MOST_TENSORS)
		return mp_json_fail(ops, "is too large");
	b->n_tensors = b->n_listed;
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

bool mp_input_build_graph(struct build *b, const struct json_at *tensors,
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
