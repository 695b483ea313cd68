/*
 * Dinic's algorithm: phases of shortest paths, each with a current arc a node.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/max-flow.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"

/* Arcs 2i and 2i + 1 are edge i forward and backward. */
struct flow_near {
	uint32_t node, arc;
};

static void link_nodes(struct flow *flow, const struct flow_edge *edges,
	const struct flow_capacity *capacities)
{
	static const struct flow_capacity unlimited = {FLOW_UNLIMITED, 0};
	uint32_t *at = flow->next;

	for (uint32_t i = 0; i < flow->n_edges; i++) {
		assert(edges[i].from < flow->n_nodes &&
			edges[i].to < flow->n_nodes);
		flow->first[edges[i].from + 1]++;
		flow->first[edges[i].to + 1]++;
	}
	for (uint32_t i = 0; i < flow->n_nodes; i++)
		flow->first[i + 1] += flow->first[i];
	memcpy(at, flow->first, sizeof(*at) * flow->n_nodes);
	for (uint32_t i = 0; i < flow->n_edges; i++) {
		const struct flow_edge *e = &edges[i];
		const struct flow_capacity *c =
			capacities ? &capacities[i] : &unlimited;

		assert(c->forward <= FLOW_UNLIMITED &&
			c->backward <= FLOW_UNLIMITED);
		flow->near[at[e->from]++] = (struct flow_near){e->to, 2 * i};
		flow->near[at[e->to]++] =
			(struct flow_near){e->from, 2 * i + 1};
		flow->left[2 * i] = c->forward;
		flow->left[2 * i + 1] = c->backward;
	}
}

bool mp_flow_room(struct flow *flow, size_t most_nodes, size_t most_edges,
	struct arena *arena)
{
	*flow = (struct flow){0};
	flow->supply = NEW(arena, uint64_t, most_nodes);
	flow->demand = NEW(arena, uint64_t, most_nodes);
	flow->left = NEW(arena, uint64_t, 2 * most_edges);
	flow->near = NEW(arena, struct flow_near, 2 * most_edges);
	flow->first = NEW(arena, uint32_t, most_nodes + 1);
	flow->level = NEW(arena, uint32_t, most_nodes);
	flow->next = NEW(arena, uint32_t, most_nodes);
	flow->queue = NEW(arena, uint32_t, most_nodes);
	flow->path = NEW(arena, uint32_t, most_nodes);
	return flow->supply && flow->demand && flow->left && flow->near &&
	       flow->first && flow->level && flow->next && flow->queue &&
	       flow->path;
}

void mp_flow_begin(struct flow *flow, uint32_t n_nodes,
	const struct flow_edge *edges, const struct flow_capacity *capacities,
	uint32_t n_edges)
{
	flow->n_nodes = n_nodes;
	flow->n_edges = n_edges;
	flow->work = 0;
	flow->most_work = UINT64_MAX;
	memset(flow->supply, 0, sizeof(*flow->supply) * n_nodes);
	memset(flow->demand, 0, sizeof(*flow->demand) * n_nodes);
	memset(flow->first, 0, sizeof(*flow->first) * ((size_t)n_nodes + 1));
	link_nodes(flow, edges, capacities);
}

bool mp_flow_init(struct flow *flow, uint32_t n_nodes,
	const struct flow_edge *edges, uint32_t n_edges, struct arena *arena)
{
	if (!mp_flow_room(flow, n_nodes, n_edges, arena))
		return false;
	mp_flow_begin(flow, n_nodes, edges, NULL, n_edges);
	return true;
}

/* Breadth-first search from the nodes with an open start, which are at level 1,
 * along arcs with capacity left; `back`: from the end of an arc to its begin.
 * Returns whether it comes to an open goal. */
static inline bool search(struct flow *flow, const uint64_t *start,
	const uint64_t *goal, uint32_t back)
{
	uint32_t head = 0, tail = 0;
	bool found = false;

	flow->work += flow->n_nodes;
	memset(flow->level, 0xff, sizeof(*flow->level) * flow->n_nodes);
	for (uint32_t i = 0; i < flow->n_nodes; i++)
		if (start[i] > 0) {
			flow->level[i] = 1;
			flow->queue[tail++] = i;
		}
	while (head < tail) {
		uint32_t at = flow->queue[head++];

		found |= goal[at] > 0;
		for (uint32_t i = flow->first[at]; i < flow->first[at + 1];
			i++) {
			const struct flow_near *near = &flow->near[i];

			if (flow->level[near->node] != NONE ||
				flow->left[near->arc ^ back] == 0)
				continue;
			flow->level[near->node] = flow->level[at] + 1;
			flow->queue[tail++] = near->node;
		}
		flow->work += flow->first[at + 1] - flow->first[at];
	}
	return found;
}

/* Distances to the nearest open demand. Looking from the demands leaves no dead
 * ends. False if no supply is in reach. */
static bool find_levels(struct flow *flow)
{
	return search(flow, flow->demand, flow->supply, 1);
}

static uint32_t arc_end(const struct flow *flow, uint32_t slot)
{
	return flow->near[slot].node;
}

/* One step nearer to a demand; the slot of the neighbour, or NONE. */
static uint32_t step_down(struct flow *flow, uint32_t at)
{
	uint32_t i = flow->next[at], end = flow->first[at + 1];

	for (; i < end; i++)
		if (flow->left[flow->near[i].arc] > 0 &&
			flow->level[flow->near[i].node] == flow->level[at] - 1)
			break;
	flow->work += i - flow->next[at] + 1;
	flow->next[at] = i;
	return i < end ? i : NONE;
}

/* Sends along the path what supply, arcs and demand allow; the path is then cut
 * before its first full arc. Returns the new length of the path. */
static uint32_t send_along(struct flow *flow, uint32_t from, uint32_t to,
	uint32_t length, uint64_t *sent)
{
	uint64_t amount = num_min(flow->supply[from], flow->demand[to]);
	uint32_t kept = length;

	for (uint32_t i = 0; i < length; i++)
		amount = num_min(
			amount, flow->left[flow->near[flow->path[i]].arc]);
	assert(amount > 0);
	for (uint32_t i = length; i-- > 0;) {
		uint32_t arc = flow->near[flow->path[i]].arc;

		flow->left[arc] -= amount;
		flow->left[arc ^ 1] += amount;
		if (flow->left[arc] == 0)
			kept = i;
	}
	flow->supply[from] -= amount;
	flow->demand[to] -= amount;
	flow->work += length;
	*sent += amount;
	return kept;
}

/* All that one supply can send downwards in this phase. */
static uint64_t drain_supply(struct flow *flow, uint32_t from, uint64_t limit)
{
	uint32_t length = 0, at = from, slot;
	uint64_t sent = 0;

	while (flow->supply[from] > 0 && sent < limit) {
		if (flow->level[at] == 1 && flow->demand[at] > 0) {
			length = send_along(flow, from, at, length, &sent);
			at = length ? arc_end(flow, flow->path[length - 1])
				    : from;
			continue;
		}
		slot = flow->level[at] > 1 ? step_down(flow, at) : NONE;
		if (slot != NONE) {
			flow->path[length++] = slot;
			at = flow->near[slot].node;
			continue;
		}
		flow->level[at] = NONE;
		if (length == 0)
			break;
		length--;
		at = length ? arc_end(flow, flow->path[length - 1]) : from;
	}
	return sent;
}

uint64_t mp_flow_run(struct flow *flow, uint64_t limit)
{
	uint64_t sent = 0;

	while (sent < limit && flow->work < flow->most_work &&
		find_levels(flow)) {
		memcpy(flow->next, flow->first,
			sizeof(*flow->next) * flow->n_nodes);
		for (uint32_t i = 0; i < flow->n_nodes && sent < limit; i++)
			if (flow->supply[i] > 0 && flow->level[i] != NONE)
				sent += drain_supply(flow, i, limit - sent);
	}
	return sent;
}

void mp_flow_reach(struct flow *flow, bool *reached)
{
	search(flow, flow->supply, flow->demand, 0);
	for (uint32_t i = 0; i < flow->n_nodes; i++)
		reached[i] = flow->level[i] != NONE;
}
