/*
 * Edges that are added to the `after` lists of ops.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/inside.h"

bool mp_graph_after_init(
	struct lists *after, const struct graph *graph, struct arena *arena)
{
	if (!mp_lists_init(after, graph->n_ops, arena))
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		mp_lists_count(after, op, graph->ops[op].after.n);
	return true;
}

bool mp_graph_after_ready(
	struct lists *after, const struct graph *graph, struct arena *arena)
{
	if (!mp_lists_ready(after, graph->n_ops, arena))
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		for (uint32_t i = 0; i < graph->ops[op].after.n; i++)
			mp_lists_add(after, op, graph->ops[op].after.at[i]);
	return true;
}

void mp_graph_after_set(const struct lists *after, struct graph *graph)
{
	for (uint32_t op = 0; op < graph->n_ops; op++)
		graph->ops[op].after = mp_lists_at(after, op);
}
