/*
 * The steps of mp_graph_link() that have files of their own: aliases and
 * cycles.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_INSIDE_H
#define MP_GRAPH_INSIDE_H

#include "graph/graph.h"

/* Gives an alias that no op writes the producer of its base tensor. */
bool mp_graph_name_aliases(struct graph *graph, struct arena *arena);

/* Adds two kinds of `after` edges: producer of the base tensor -> producer of
 * the alias; and every reader of the old contents -> the op that overwrites
 * them. Requires producers and readers of all tensors. False if two aliases
 * write the same bytes and neither is an alias of the other, and if an output
 * of the run is overwritten. */
bool mp_graph_order_aliases(
	struct graph *graph, struct arena *arena, struct error *e);

/* After a cycle was found: if one of those edges closes it, replaces the
 * message by one that names the tensors. Always false. */
bool mp_graph_blame_write(
	const struct graph *graph, struct arena *arena, struct error *e);

/* False if ops of a graph wait for each other; the message names a shortest
 * cycle. Requires before and behind of all ops. */
bool mp_graph_check_acyclic(
	const struct graph *graph, struct arena *arena, struct error *e);

#endif
