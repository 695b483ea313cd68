/*
 * Which pools may hold a buffer: those of its tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CANDIDATES_H
#define MP_CANDIDATES_H

#include "graph.h"
#include "problem.h"

/* Gives a problem whose items are the graph's tensors its pools. Nothing is
 * done for a graph without any. */
bool mp_candidates_fill(const struct graph *graph, struct problem *problem,
	struct arena *arena, struct error *e);

#endif
