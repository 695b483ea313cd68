/*
 * A rewrite: graph to graph. Tensors take detours: an op copies one out behind
 * its last use, and another op copies it back, or makes it again, before its
 * next. To the rest of the street these are ops and tensors like any other: it
 * plans, verifies and writes them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUDGET_REWRITE_H
#define MP_BUDGET_REWRITE_H

#include "budget/budget.h"
#include "graph/graph.h"

/* The graph with its ops listed in the given order and the detours put in. What
 * comes back is a tensor of its own, NAME@2 and so on, that later ops read. The
 * detours of a tensor are in the order of steps, and no op of that order uses a
 * tensor while it is away; no lifetime is fixed. Names and lists that do not
 * change are shared. */
bool mp_budget_rewrite_detours(const struct graph *graph, const uint32_t *order,
	const struct detour *detours, uint32_t n, struct graph *result,
	struct arena *arena, struct error *e);

#endif
