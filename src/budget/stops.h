/*
 * Where in a list of ops detours begin and end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUDGET_STOPS_H
#define MP_BUDGET_STOPS_H

#include "budget/detour.h"
#include "graph/graph.h"

struct stop {
	uint64_t key; /* step, then what comes first in it */
	uint32_t detour;
};

struct stops {
	struct stop *outs, *ins; /* by key: of those that write; of all */
	uint32_t n_outs, n_ins;
};

static inline uint32_t mp_budget_stop_step(const struct stop *stop)
{
	return (uint32_t)(stop->key >> 32);
}

/* Before an op copies come back first, so that they can be read by ops that run
 * again; these come in the order in which they first ran. */
bool mp_budget_stops_sort(const struct graph *graph, const uint32_t *order,
	const struct detour *detours, uint32_t n, struct stops *stops,
	struct arena *arena);

#endif
