/*
 * The only bridge between graph and problem: an order gives every tensor its
 * lifetime, tensors that share bytes become one buffer, sizes are rounded.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LIFETIME_LIFETIME_H
#define MP_LIFETIME_LIFETIME_H

#include "graph/graph.h"
#include "problem/schedule.h"

struct lifetime_options {
	bool inplace; /* honour in-place pairs */
};

/* The schedule of a linked graph whose ops run in the given order (a
 * permutation of their indices), in the arena; NULL on failure. It refers to
 * the graph, and to the order. */
struct schedule *mp_lifetime(const struct graph *graph, const uint32_t *order,
	const struct lifetime_options *options, struct arena *arena,
	struct error *e);

#endif
