/*
 * The heaviest clique of a small graph: the heaviest set of nodes of which any
 * two are joined.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_WEIGHTED_CLIQUE_H
#define MP_PROBLEM_WEIGHTED_CLIQUE_H

#include <assert.h>

#include "base/arena.h"
#include "base/num.h"

enum {
	GRAPH_BITS = 64 /* of a word of a set of nodes */
};

/* A graph with weights, and what searches found. Another graph may follow in
 * the same struct: the best clique and the work are those of all of them. */
struct weighted_graph {
	uint32_t n;	  /* nodes, in descending order of weight */
	uint32_t words;	  /* of a set of nodes: more than n bits */
	uint32_t *name;	  /* of a node: what the best clique calls it */
	uint64_t *weight; /* of a node */
	uint64_t *near;	  /* words a node: the nodes that it is joined to */
	uint64_t *all;	  /* words: each node */
	uint64_t most;	  /* no clique is heavier */
	uint32_t *chosen, n_chosen; /* nodes of the clique under way */
	uint32_t *best, n_best;	    /* names; room for the nodes of any graph */
	uint64_t best_weight;	    /* only what is heavier is kept */
	uint64_t work; /* that is left: words of sets are looked at */
	struct arena *scratch;
};

static inline uint64_t mp_problem_node_bit(uint32_t node)
{
	return UINT64_C(1) << node % GRAPH_BITS;
}

/* The set of nodes that a node is joined to. */
static inline uint64_t *mp_problem_node_near(
	const struct weighted_graph *graph, uint32_t node)
{
	assert(node < graph->n);
	return graph->near + (size_t)node * graph->words;
}

static inline void mp_problem_graph_join(
	struct weighted_graph *graph, uint32_t a, uint32_t b)
{
	mp_problem_node_near(graph, a)[b / GRAPH_BITS] |=
		mp_problem_node_bit(b);
	mp_problem_node_near(graph, b)[a / GRAPH_BITS] |=
		mp_problem_node_bit(a);
}

static inline void mp_problem_graph_spend(
	struct weighted_graph *graph, uint64_t work)
{
	graph->work -= num_min(graph->work, work);
}

/* From nodes, names, weights and what is joined: all, and the most that a
 * clique can weigh. Without work to look at all pairs nothing bounds it. */
bool mp_problem_graph_bound(struct weighted_graph *graph);

/* Grows cliques from some nodes on: the heaviest node that goes with those that
 * were taken. */
bool mp_problem_graph_grow(struct weighted_graph *graph);

/* Looks for a clique that is heavier than the best one, as long as there is
 * work. */
bool mp_problem_graph_search(struct weighted_graph *graph);

#endif
