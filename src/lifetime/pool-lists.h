/*
 * Which pools may hold a buffer: those of its tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LIFETIME_POOL_LISTS_H
#define MP_LIFETIME_POOL_LISTS_H

#include "graph/graph.h"
#include "problem/problem.h"

/* Gives a problem whose items are the graph's tensors its pools. Nothing is
 * done for a graph without any. */
bool mp_lifetime_pool_lists_fill(const struct graph *graph,
	struct problem *problem, struct arena *arena, struct error *e);

#endif
