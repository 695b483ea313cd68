/*
 * The option --pools: pools that a run gets beside its input.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_STREET_POOL_OPTION_H
#define MP_STREET_POOL_OPTION_H

#include "graph/graph.h"

/* Reads NAME or NAME=BYTES, separated by commas. If the graph has no pools,
 * these become its pools, and any tensor may lie in any of them. Else they are
 * capacities of the graph's pools. */
bool mp_street_pool_option(struct graph *graph, const char *text,
	struct arena *arena, struct error *e);

#endif
