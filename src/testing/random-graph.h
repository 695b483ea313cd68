/*
 * Random graphs, random orders and the least peak by brute force, for tests.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_RANDOM_GRAPH_H
#define MP_TESTING_RANDOM_GRAPH_H

#include "graph/graph.h"

/* What a random graph may contain; all false: activations and data edges. */
struct random_traits {
	uint32_t n_ops; /* at most; at least 1 */
	bool after;	/* edges without data */
	bool kinds;	/* inputs, outputs, weights, states, external ones */
	bool temporaries;
	bool inplace;
	bool pinned;   /* some lifetimes fixed */
	bool placed;   /* some offsets fixed */
	bool aligned;  /* alignment 16 instead of 1 */
	bool shuffled; /* the input order is not a legal one */
};

/* Everything above. */
extern const struct random_traits mp_testing_random_all;

/* A linked graph that the seed decides. Dead outputs, tensors read twice by one
 * op, ops of several outputs and empty tensors always occur. */
bool mp_testing_random_graph(uint64_t seed, const struct random_traits *traits,
	struct graph *graph, struct arena *arena, struct error *e);

/* A topological order that the seed decides. */
bool mp_testing_random_order(const struct graph *graph, uint64_t seed,
	uint32_t *order, struct arena *arena);

/* The least peak of any order. Without in-place pairs by dynamic programming
 * over the sets of ops that have run (at most 16 ops); with them by trying all
 * orders (at most 8). */
bool mp_testing_random_least_peak(const struct graph *graph, bool inplace,
	uint64_t *peak, struct arena *arena);

#endif
