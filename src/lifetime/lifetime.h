/*
 * The only bridge between graph and problem: an order gives every tensor its
 * lifetime, tensors that share bytes become one buffer, sizes are rounded.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LIFETIME_LIFETIME_H
#define MP_LIFETIME_LIFETIME_H

#include "graph/graph.h"
#include "problem/problem.h"

struct lifetime_options {
	bool inplace; /* honour in-place pairs */
};

/* Fills the problem for the ops executed in the given order (a permutation of
 * the op indices). Names are shared with the graph, not copied. */
bool mp_lifetime(const struct graph *graph, const uint32_t *order,
	const struct lifetime_options *options, struct problem *problem,
	struct arena *arena, struct error *e);

#endif
