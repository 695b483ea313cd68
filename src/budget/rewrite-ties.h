/*
 * What the input says of several tensors at once goes with the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUDGET_REWRITE_TIES_H
#define MP_BUDGET_REWRITE_TIES_H

#include "graph/graph.h"

/* Fills the ties of the result. Tied tensors take no detour, so that only
 * temporaries have another index: those from n_named on move by shift. */
bool mp_budget_rewrite_ties(const struct graph *graph, uint32_t n_named,
	uint32_t shift, struct graph *result, struct arena *arena);

#endif
