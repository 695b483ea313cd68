/*
 * Aliases form trees: each is a child of what it is an alias of. A tensor has
 * what its ancestors wrote last, so an alias that writes spoils the bytes for
 * all that are not below it. Of those only the ones below the next writer above
 * it (or the root) matter: the others must be done before that one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_ALIAS_TREE_H
#define MP_GRAPH_ALIAS_TREE_H

#include "graph/graph.h"

struct byte_hull {
	uint64_t low, high;
};

/* Nodes are aliases, by number, and behind them the roots. */
struct forest {
	const struct graph *graph;
	uint32_t n_aliases, n_nodes;
	uint32_t *node_of;  /* of a tensor; NONE: no alias and none of it */
	uint32_t *tensor;   /* of a node */
	uint32_t *parent;   /* NONE: a root */
	uint32_t *above;    /* of a node: the next that writes, or the root */
	uint32_t *preorder; /* nodes, each before all below it, and children by
			       their first bytes */
	uint32_t *place;    /* of a node in it */
	uint32_t *beyond;   /* place behind the last that is below a node */
	struct byte_hull *hulls; /* a tree of halves over the places: hull i is
				    that of hulls 2 i and 2 i + 1 */
	uint32_t n_leaves;	 /* a power of two: hulls from there on are
				    places */
};

bool mp_graph_tree_plant(
	struct forest *f, const struct graph *graph, struct arena *arena);

/* The writer's bytes are older's too; op makes or reads them. */
typedef bool mp_forest_visitor(void *context, const struct tensor_alias *writer,
	uint32_t older, uint32_t op);

/* Of every alias that writes all whose bytes it spoils, with those that need
 * them. Stops where a visit is false. */
bool mp_graph_tree_visit(
	const struct forest *f, mp_forest_visitor *visit, void *context);

#endif
