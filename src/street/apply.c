/*
 * Applies the options that change a graph. No option changes the graph that was
 * read: if one would, the run gets a copy.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>

struct graph *mp_street_copy_graph(memplan *m, const struct graph *graph)
{
	struct graph *copy = NEW(&m->run, struct graph, 1);

	if (!copy)
		return NULL;
	*copy = *graph;
	copy->tensors = mp_arena_copy(&m->run, graph->tensors, graph->n_tensors,
		sizeof(*graph->tensors));
	copy->ops = mp_arena_copy(
		&m->run, graph->ops, graph->n_ops, sizeof(*graph->ops));
	return copy->tensors && copy->ops ? copy : NULL;
}

/* ------------------------------------------------------------ shape */

/* Pairs of unequal size are kept behind those that count. */
static bool keep_equal_pairs(
	const struct graph *graph, struct op *op, struct arena *arena)
{
	uint32_t n = op->n_inplace + op->n_unequal, front = 0, back = n;
	struct inplace_pair *pairs = NEW(arena, struct inplace_pair, n);

	if (!pairs)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct inplace_pair pair = op->inplace[i];
		bool equal = mp_graph_tensor_rounded(
				     graph, &graph->tensors[pair.output]) ==
			     mp_graph_tensor_rounded(
				     graph, &graph->tensors[pair.input]);

		pairs[equal ? front++ : --back] = pair;
	}
	assert(front == back);
	op->inplace = pairs;
	op->n_inplace = front;
	op->n_unequal = n - front;
	return true;
}

const struct graph *mp_street_shape(
	memplan *m, const struct graph *graph, const struct run *run)
{
	bool aligned = run->align == 0 || run->align == graph->alignment;
	struct graph *copy;

	assert(graph);
	if (aligned && !run->equal)
		return graph;
	copy = mp_street_copy_graph(m, graph);
	if (!copy)
		return NULL;
	if (!aligned) {
		if (!mp_graph_align(copy, run->align, &m->run, &m->error) ||
			!mp_graph_link(copy, &m->run, &m->error))
			return NULL;
	}
	for (uint32_t i = 0; run->equal && i < copy->n_ops; i++)
		if (copy->ops[i].inplace &&
			!keep_equal_pairs(copy, &copy->ops[i], &m->run))
			return NULL;
	return copy;
}

/* --------------------------------------------------------- policies */

/* A check may use other policies than the reader did, so the tensors as they
 * were before any policy are kept. */
bool mp_street_apply_policies(memplan *m)
{
	struct graph *graph = &m->graph;

	if (m->options.inputs != N_POLICIES)
		graph->inputs = m->options.inputs;
	if (m->options.outputs != N_POLICIES)
		graph->outputs = m->options.outputs;
	m->before_policies = NULL;
	if (graph->inputs == POLICY_INSIDE && graph->outputs == POLICY_INSIDE)
		return true;
	m->before_policies = mp_arena_copy(&m->arena, graph->tensors,
		graph->n_tensors, sizeof(*graph->tensors));
	return m->before_policies &&
	       mp_graph_apply_policies(graph, &m->arena, &m->error);
}

bool mp_street_change_policies(
	memplan *m, struct graph *copy, uint8_t inputs, uint8_t outputs)
{
	const struct tensor *before = m->before_policies;

	assert(inputs < N_POLICIES && outputs < N_POLICIES);
	assert(copy->tensors != m->graph.tensors);
	for (uint32_t i = 0; before && i < copy->n_tensors; i++) {
		copy->tensors[i].external = before[i].external;
		copy->tensors[i].from_start = before[i].from_start;
		copy->tensors[i].to_end = before[i].to_end;
	}
	copy->inputs = inputs;
	copy->outputs = outputs;
	return mp_graph_apply_policies(copy, &m->run, &m->error) &&
	       mp_graph_link(copy, &m->run, &m->error);
}
