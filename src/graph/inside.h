/*
 * Declarations for the files of the graph room only: the steps of
 * mp_graph_link() that have files of their own, edges that are added to a
 * graph, and alias trees.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_INSIDE_H
#define MP_GRAPH_INSIDE_H

#include "graph/graph.h"

/* Gives an alias that no op writes the producer of its base tensor. */
bool mp_graph_name_aliases(struct graph *graph, struct arena *arena);

/* Adds two kinds of `after` edges: producer of the base tensor -> producer of
 * the alias; and every reader of the old contents -> the op that overwrites
 * them. Requires producers and readers of all tensors. False if two aliases
 * write the same bytes and neither is an alias of the other, and if an output
 * of the run is overwritten. */
bool mp_graph_order_aliases(
	struct graph *graph, struct arena *arena, struct error *e);

/* After a cycle was found: if one of those edges closes it, replaces the
 * message by one that names the tensors. Always false. */
bool mp_graph_blame_write(
	const struct graph *graph, struct arena *arena, struct error *e);

/* False if ops of a graph wait for each other; the message names a shortest
 * cycle. Requires before and behind of all ops. */
bool mp_graph_check_acyclic(
	const struct graph *graph, struct arena *arena, struct error *e);

/* ------------------------------------------------------------ loops */

/* Checks the loops and fills what follows from them. Requires producers. */
bool mp_graph_find_loops(
	struct graph *graph, struct arena *arena, struct error *e);

/* True if an op reads a tensor in each iteration of a loop, in which another
 * one overwrites it, and the loop does not make it anew. */
bool mp_graph_loop_overwrites(const struct graph *graph, uint32_t op,
	uint32_t older, uint32_t writer);

/* Calls visit for each tensor that an op reads for the next iteration of a
 * loop: the last op of that loop. Possibly repeated. */
void mp_graph_each_again(const struct graph *graph,
	void (*visit)(struct lists *, uint32_t tensor, uint32_t op),
	struct lists *lists);

/* ------------------------------------------------------------ edges */

/* Lists of the ops that come before each op, to which edges are added: begin
 * with those that the graph has, count the new ones by mp_lists_count(), make
 * room, add them by mp_lists_add(), and set the lists of the graph. */
bool mp_graph_after_init(
	struct lists *after, const struct graph *graph, struct arena *arena);
bool mp_graph_after_ready(
	struct lists *after, const struct graph *graph, struct arena *arena);
void mp_graph_after_set(const struct lists *after, struct graph *graph);

/* ------------------------------------------------------ alias trees */

/* Alias trees: the parent of an alias is the tensor that it is an alias of. An
 * alias that writes overwrites the contents of all tensors of its tree that
 * share bytes with it, except those below it. It is enough to order the alias
 * after the readers in the subtree of its nearest ancestor that writes (or of
 * the root); readers elsewhere are already ordered before that ancestor. */

struct byte_hull {
	uint64_t low, high;
};

/* A forest of alias trees. Nodes are the aliases, in the order of the graph's
 * list, then the roots. */
struct alias_tree {
	const struct graph *graph;
	uint32_t n_aliases, n_nodes;
	uint32_t *node_of;  /* of a tensor; NONE: neither alias nor root */
	uint32_t *tensor;   /* of a node */
	uint32_t *parent;   /* NONE: a root */
	uint32_t *writer;   /* of a node: its nearest ancestor that writes, or
			       the root */
	uint32_t *preorder; /* nodes in preorder, children by first byte */
	uint32_t *place;    /* of a node: its place in preorder */
	uint32_t *end;	    /* of a node: place after the last of its subtree */
	struct byte_hull *hulls; /* segment tree over the places: hull i covers
				    the bytes of hulls 2 i and 2 i + 1 */
	uint32_t n_leaves;	 /* a power of two; the hull of place i is
				    n_leaves + i */
};

bool mp_graph_alias_tree_init(
	struct alias_tree *f, const struct graph *graph, struct arena *arena);

/* The writer overwrites bytes of `older`, which op makes or reads; where there
 * are loops, op may be the one that makes the writer and reads the older. NONE:
 * the visit before those of the ops. */
typedef bool alias_tree_visitor(void *context,
	const struct tensor_alias *writer, uint32_t older, uint32_t op);

/* Visits, for every alias that writes, each tensor that it overwrites with NONE
 * and with each op that makes or reads that tensor. Stops at the first visit
 * that is false. */
bool mp_graph_alias_tree_visit(
	const struct alias_tree *f, alias_tree_visitor *visit, void *context);

#endif
