/*
 * Removes aliases from a graph, for orders: every tensor then has its own
 * bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_FOLD_H
#define MP_ORDER_FOLD_H

#include "graph/graph.h"

/* False if the cost of a step may be too high: with slices, gaps in lifetimes,
 * or exclusive branches. A lower bound made of such costs does not hold. */
bool mp_order_fold_is_exact(const struct graph *graph);

/* A copy in which each root lives as long as any of its aliases, and aliases
 * take no bytes. Exact if every alias covers its whole root; else roots live
 * too long. tied[t]: the tensor is in an alias tree, in a group or kept apart,
 * and so cannot be in an in-place pair. If there is nothing of this kind, *tied
 * is NULL and the result is the graph itself. NULL: memory is out. */
const struct graph *mp_order_fold(
	const struct graph *graph, bool **tied, struct arena *arena);

#endif
