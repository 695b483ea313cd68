/*
 * Tensors that are bytes of others, as far as the order of the ops is
 * concerned.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_ALIAS_WRITES_H
#define MP_GRAPH_ALIAS_WRITES_H

#include "graph/graph.h"

/* An alias that no op writes has the producer of what it is an alias of. */
bool mp_graph_name_aliases(struct graph *graph, struct arena *arena);

/* An op that makes an alias waits for who makes what it is an alias of, and one
 * that writes over bytes of another tensor for all that read what was there:
 * these become `after` edges. Needs producers and readers. False for
 * two writers of which neither has what the other wrote, and for an output that
 * is overwritten. */
bool mp_graph_order_aliases(
	struct graph *graph, struct arena *arena, struct error *e);

/* After a cycle has been found: says so in terms of tensors, if it is one of
 * those edges that closes it. Always false. */
bool mp_graph_blame_write(
	const struct graph *graph, struct arena *arena, struct error *e);

#endif
