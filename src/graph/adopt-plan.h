/*
 * Gives a graph the answers of a plan: how "is this a plan of that graph?" is
 * asked. Tensors are matched by their ids.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_ADOPT_PLAN_H
#define MP_GRAPH_ADOPT_PLAN_H

#include "graph/graph.h"

/* Fixes the offsets and the order of a linked graph as the plan (a graph that a
 * plan file was read into) has them. MEMPLAN_NO if the two do not belong
 * together: a tensor without an offset, one too many, another size, an order
 * that breaks a dependence. */
bool mp_graph_adopt(struct graph *graph, const struct graph *plan,
	struct arena *arena, struct error *e);

#endif
