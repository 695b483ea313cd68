/*
 * Maximum flow from supplies to demands at the nodes of a network, by blocking
 * flows (Dinic 1970; Even and Tarjan 1975). Iterative, deterministic, and its
 * work is counted. The residual network then shows a minimum cut.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_MAX_FLOW_H
#define MP_BASE_MAX_FLOW_H

#include "base/arena.h"

/* More than all bytes of a graph together, and so never a bottleneck. Twice
 * this value still fits the type. */
#define FLOW_UNLIMITED (UINT64_C(3) << 61)

struct flow_edge {
	uint32_t from, to;
};

/* Of an edge: from each of its nodes to the other. */
struct flow_capacity {
	uint64_t forward, backward;
};

struct flow {
	uint32_t n_nodes, n_edges;
	uint64_t *supply, *demand; /* at a node, not yet used */
	uint64_t *left; /* capacity not yet used, 2 an edge: forward, back */

	/* The neighbours of node i: near[first[i]] to near[first[i + 1]]. */
	struct flow_near *near;
	uint32_t *first;

	/* Scratch of mp_flow_run(), one a node. */
	uint32_t *level, *next, *queue, *path;
	uint64_t work;	    /* nodes and neighbours looked at so far */
	uint64_t most_work; /* no phase begins after so much */
};

/* Edges are unlimited forward. Supplies and demands start at 0. The edges are
 * not kept. */
bool mp_flow_init(struct flow *flow, uint32_t n_nodes,
	const struct flow_edge *edges, uint32_t n_edges, struct arena *arena);

/* The same in two steps: for many networks, one after the other in the same
 * memory. First there is room for the largest of them, then each begins, with a
 * capacity an edge. */
bool mp_flow_room(struct flow *flow, size_t most_nodes, size_t most_edges,
	struct arena *arena);
void mp_flow_begin(struct flow *flow, uint32_t n_nodes,
	const struct flow_edge *edges, const struct flow_capacity *capacities,
	uint32_t n_edges);

/* Sends as much as possible and returns how much; stops once that is at least
 * limit, or after most_work. */
uint64_t mp_flow_run(struct flow *flow, uint64_t limit);

/* After a maximum flow: the nodes that unused supply still reaches, which are
 * the smallest source side of all minimum cuts. */
void mp_flow_reach(struct flow *flow, bool *reached);

#endif
