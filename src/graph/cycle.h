/*
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_CYCLE_H
#define MP_GRAPH_CYCLE_H

#include "graph/graph.h"

/* False, with a shortest cycle named, if ops of a graph wait for each other.
 * Needs before and behind. */
bool mp_graph_check_acyclic(
	const struct graph *graph, struct arena *arena, struct error *e);

#endif
