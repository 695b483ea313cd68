/*
 * Detects ops that wait for each other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_CYCLE_H
#define MP_GRAPH_CYCLE_H

#include "graph/graph.h"

/* False if ops of a graph wait for each other; the message names a shortest
 * cycle. Requires before and behind of all ops. */
bool mp_graph_check_acyclic(
	const struct graph *graph, struct arena *arena, struct error *e);

#endif
