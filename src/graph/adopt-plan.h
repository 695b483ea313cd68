/*
 * Copies the offsets and the order of a plan file into a graph, to check that
 * it is a plan of that graph. Tensors are matched by id.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_ADOPT_PLAN_H
#define MP_GRAPH_ADOPT_PLAN_H

#include "graph/graph.h"

/* Sets the offsets and the order of a linked graph to those of a plan, which is
 * the graph that a plan file was read into. MEMPLAN_NO if they do not match: a
 * tensor without an offset, one too many, another size, an order that breaks a
 * dependence. */
bool mp_graph_adopt(struct graph *graph, const struct graph *plan,
	struct arena *arena, struct error *e);

#endif
