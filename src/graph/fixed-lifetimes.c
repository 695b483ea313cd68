/*
 * A lifetime that the input fixes is a promise about its ops: none of them
 * reads or writes the tensor at another step. In a gap it has no content that
 * an op could read, but for the bytes that the gap keeps. Steps are those of an
 * order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/graph.h"

/* Fixed lifetimes of a plan end where another tensor takes over the bytes, and
 * those of a bundle's members were checked with the members. */
static bool promises(const struct graph *graph, const struct tensor *tensor)
{
	return tensor->pinned && !tensor->external && tensor->size > 0 &&
	       !graph->claims.present && !graph->was_plan &&
	       graph->bundle.n == 0;
}

static bool any_promises(const struct graph *graph)
{
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (promises(graph, &graph->tensors[t]))
			return true;
	return false;
}

static bool check_gaps(const struct graph *graph, uint32_t t, uint32_t op,
	uint32_t step, bool writes, struct error *e)
{
	const struct lifetime_gap *gap =
		mp_graph_ties_gap(&graph->ties, t, step);

	return !gap || (!writes && gap->low < gap->high) ||
	       mp_graph_fail(graph, THING_TENSOR, t, e, MEMPLAN_EINPUT,
		       "the lifetime of tensor '%.80s' has a gap [%u, %u), but "
		       "op %u '%.80s' %s it at step %u",
		       mp_graph_tensor_label(&graph->tensors[t]), gap->start,
		       gap->end, op, mp_graph_op_label(graph, op),
		       writes ? "writes" : "reads", step);
}

static bool check_use(const struct graph *graph, uint32_t t, uint32_t op,
	uint32_t step, bool writes, struct error *e)
{
	const struct tensor *tensor = &graph->tensors[t];

	if (tensor->start <= step && step < tensor->end)
		return check_gaps(graph, t, op, step, writes, e);
	return mp_graph_fail(graph, THING_TENSOR, t, e, MEMPLAN_EINPUT,
		"the lifetime [%u, %u) of tensor '%.80s' is too short: op %u "
		"'%.80s' %s it at step %u",
		tensor->start, tensor->end, mp_graph_tensor_label(tensor), op,
		mp_graph_op_label(graph, op), writes ? "writes" : "reads",
		step);
}

static bool check_uses(const struct graph *graph, uint32_t t,
	const uint32_t *step, struct error *e)
{
	const struct tensor *tensor = &graph->tensors[t];
	struct ids readers = mp_graph_readers(graph, tensor);
	uint32_t writer = tensor->producer;

	if (writer != NONE &&
		!check_use(graph, t, writer, step[writer], true, e))
		return false;
	for (uint32_t i = 0; i < readers.n; i++) {
		uint32_t op = readers.at[i];

		if (!check_use(graph, t, op, step[op], false, e))
			return false;
	}
	return true;
}

bool mp_graph_check_lifetimes(const struct graph *graph, const uint32_t *order,
	struct arena *scratch, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	uint32_t *step;
	bool fine;

	if (graph->n_ops == 0 || !any_promises(graph))
		return true;
	step = NEW(scratch, uint32_t, graph->n_ops);
	fine = step != NULL;
	for (uint32_t i = 0; fine && i < graph->n_ops; i++)
		step[order[i]] = i;
	for (uint32_t t = 0; fine && t < graph->n_tensors; t++)
		fine = !promises(graph, &graph->tensors[t]) ||
		       check_uses(graph, t, step, e);
	mp_arena_rewind(scratch, mark);
	return fine;
}
