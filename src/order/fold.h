/*
 * A graph in which every tensor has its own bytes, as far as orders care.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_FOLD_H
#define MP_ORDER_FOLD_H

#include "graph/graph.h"

/* False where orders count bytes too long: those of slices, of lifetimes with
 * gaps, and of branches that do not run. A bound on all orders that is made of
 * such bytes is none. */
bool mp_order_fold_is_exact(const struct graph *graph);

/* What aliases need, their roots need: these live as long as any of them, and
 * the aliases take no bytes. Exact where an alias is all of its root, else the
 * roots live too long. tied[t] says that the input ties a tensor to others, or
 * keeps it apart, so that it takes no part in in-place pairs; NULL where
 * nothing is tied, and then the result is the graph itself. NULL when memory is
 * out. */
const struct graph *mp_order_fold(
	const struct graph *graph, bool **tied, struct arena *arena);

#endif
