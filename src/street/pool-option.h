/*
 * Pools that a run is given beside its input.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_STREET_POOL_OPTION_H
#define MP_STREET_POOL_OPTION_H

#include "graph/graph.h"

/* Pools as people write them, NAME or NAME=BYTES with commas between. They are
 * the graph's if it has none: any tensor may lie in any of them. Else they are
 * capacities of those that it has. */
bool mp_street_pool_option(struct graph *graph, const char *text,
	struct arena *arena, struct error *e);

#endif
