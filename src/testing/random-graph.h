/*
 * Random graphs, random orders and the least peak by brute force, for tests.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_RANDOM_GRAPH_H
#define MP_TESTING_RANDOM_GRAPH_H

#include "graph/graph.h"

enum {
	CLOSURE_OPS = 32,
};

/* What a random graph may contain; all false: activations and data edges. */
struct random_traits {
	uint32_t n_ops; /* at most; at least 1 */
	bool after;	/* edges without data */
	bool kinds;	/* inputs, outputs, weights, states, external ones */
	bool temporaries;
	bool inplace;
	bool pinned;	  /* some lifetimes fixed */
	bool placed;	  /* some offsets fixed */
	bool aligned;	  /* alignment 16 instead of 1 */
	bool shuffled;	  /* the input order is not a legal one */
	bool apart;	  /* two tensors are apart from one */
	bool produced;	  /* no tensor is there before the first op */
	uint32_t streams; /* at most; 0: one */
};

/* Everything above. */
extern const struct random_traits mp_testing_random_all;

/* A linked graph that the seed decides. Dead outputs, tensors read twice by one
 * op, ops of several outputs and empty tensors always occur. */
bool mp_testing_random_graph(uint64_t seed, const struct random_traits *traits,
	struct graph *graph, struct arena *arena, struct error *e);

/* What becomes of a graph is the caller's to judge: its memory goes with it. */
typedef void mp_testing_try(
	const struct graph *graph, uint64_t seed, struct arena *arena);

/* Tries the graphs of seeds 0 to n - 1. choose: changes the traits, of all, for
 * a seed. False: memory is out. */
bool mp_testing_each_graph(uint64_t n,
	void (*choose)(uint64_t seed, struct random_traits *traits),
	mp_testing_try *try);

/* A topological order that the seed decides. */
bool mp_testing_random_order(const struct graph *graph, uint64_t seed,
	uint32_t *order, struct arena *arena);

/* Which ops of at most CLOSURE_OPS end before which begin, by transitive
 * closure: bit a of before[b] if a before b. Ops wait for what they read and
 * for `after`; with streams also for the ops of their stream that are listed
 * before them. */
void mp_testing_close(
	const struct graph *graph, bool streams, uint32_t before[CLOSURE_OPS]);

/* Does the op make the tensor or read it? */
bool mp_testing_uses(const struct graph *graph, uint32_t op, uint32_t tensor);

/* The peak of an order of ops, which is legal, in bytes; sizes are rounded to
 * the graph's alignment. */
bool mp_testing_peak(const struct graph *graph, const uint32_t *ops,
	bool inplace, uint64_t *peak, struct arena *arena);

/* The least peak of any order. Without in-place pairs by dynamic programming
 * over the sets of ops that have run (at most 16 ops); with them by trying all
 * orders (at most 8). */
bool mp_testing_random_least_peak(const struct graph *graph, bool inplace,
	uint64_t *peak, struct arena *arena);

#endif
