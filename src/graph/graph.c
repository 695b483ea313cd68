/*
 * What is asked of a graph, its tensors and ops: labels, counts, rounded sizes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/graph.h"

#include <assert.h>

#include "base/names.h"

const char *mp_graph_tensor_label(const struct tensor *tensor)
{
	if (tensor->name)
		return tensor->name;
	return tensor->id ? tensor->id : "?";
}

uint32_t mp_graph_count_external(const struct graph *graph)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < graph->n_tensors; i++)
		n += graph->tensors[i].external;
	return n;
}

bool mp_graph_has_offsets(const struct graph *graph)
{
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (graph->tensors[t].placed)
			return true;
	return false;
}

bool mp_graph_ids(
	const struct graph *graph, struct names *names, struct arena *arena)
{
	if (!mp_names_init(names, graph->n_tensors, arena))
		return false;
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (graph->tensors[t].id)
			mp_names_add(names, graph->tensors[t].id, t);
	return true;
}

const char *mp_graph_kind_name(uint32_t kind)
{
	static const char *const kinds[] = {
		[KIND_ACTIVATION] = "activation",
		[KIND_INPUT] = "input",
		[KIND_OUTPUT] = "output",
		[KIND_WEIGHT] = "weight",
		[KIND_STATE] = "state",
		[KIND_TEMPORARY] = "temporary",
	};

	assert(kind < countof(kinds));
	return kinds[kind];
}

bool mp_graph_op_uses(const struct op *op, uint32_t tensor)
{
	return mp_lists_has(op->inputs, tensor) ||
	       mp_lists_has(op->outputs, tensor);
}

const char *mp_graph_op_label(const struct graph *graph, uint32_t op)
{
	assert(op < graph->n_ops && graph->ops[op].name);
	return *graph->ops[op].name ? graph->ops[op].name : "(unnamed)";
}

bool mp_graph_tensor_from_start(const struct tensor *tensor)
{
	return tensor->producer == NONE || tensor->from_start ||
	       tensor->kind == KIND_INPUT || tensor->kind == KIND_WEIGHT ||
	       tensor->kind == KIND_STATE;
}

bool mp_graph_tensor_to_end(const struct tensor *tensor)
{
	return tensor->to_end || tensor->kind == KIND_OUTPUT ||
	       tensor->kind == KIND_WEIGHT || tensor->kind == KIND_STATE;
}

uint64_t mp_graph_tensor_rounded(
	const struct graph *graph, const struct tensor *tensor)
{
	if (tensor->size == 0)
		return 0;
	return num_up(tensor->size + graph->margins.padding, graph->alignment);
}
