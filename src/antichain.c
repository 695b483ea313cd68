/*
 * Parts are ordered by "surely over before the other is born". A set of which
 * no two are so ordered is an antichain; by Dilworth's theorem with weights its
 * greatest weight is the least number of bytes that suffice if every byte may
 * be handed on along a chain. Handing on is a flow: each part gives its bytes
 * up where it is free and asks for bytes where it is born, and what cannot be
 * handed on is the answer. The relation has n x n pairs but is spelled by
 * positions of streams: a part that is free at a position is so for all that is
 * born there or later on that stream.
 *
 * SPDX-License-Identifier: MIT
 */
#include "antichain.h"

#include "flow.h"

/* Nodes: what parts give, what parts ask for, positions stream by stream. */
struct network {
	const struct problem *problem;
	uint32_t *
		first; /* node of position 0 of a stream; one behind the last */
	struct flow_edge *edges;
	uint32_t n_edges;
};

static uint32_t gives(uint32_t part)
{
	return part;
}

static uint32_t asks(const struct problem *p, uint32_t part)
{
	return p->n_parts + part;
}

static void add_edge(struct network *net, uint32_t from, uint32_t to)
{
	net->edges[net->n_edges++] =
		(struct flow_edge){from, to, FLOW_UNLIMITED, 0};
}

/* Positions up to the last that any part is born at; what is free only behind
 * that is free for nobody. */
static void lay_positions(struct network *net)
{
	const struct problem *p = net->problem;
	uint32_t node = 2 * p->n_parts, *count = net->first + 1;

	for (uint32_t i = 0; i < p->n_parts; i++)
		if (p->born[i] + 1 > count[p->stream[i]])
			count[p->stream[i]] = p->born[i] + 1;
	net->first[0] = node;
	for (uint32_t k = 0; k < p->n_streams; k++)
		net->first[k + 1] += net->first[k];
}

static void add_edges(struct network *net)
{
	const struct problem *p = net->problem;

	for (uint32_t k = 0; k < p->n_streams; k++)
		for (uint32_t node = net->first[k];
			node + 1 < net->first[k + 1]; node++)
			add_edge(net, node, node + 1);
	for (uint32_t i = 0; i < p->n_parts; i++) {
		const uint32_t *row = p->free + (size_t)i * p->n_streams;

		add_edge(
			net, net->first[p->stream[i]] + p->born[i], asks(p, i));
		for (uint32_t k = 0; k < p->n_streams; k++)
			if (row[k] < net->first[k + 1] - net->first[k])
				add_edge(net, gives(i), net->first[k] + row[k]);
	}
}

static bool build(struct network *net, struct flow *flow, struct arena *arena)
{
	const struct problem *p = net->problem;
	size_t positions, most;

	net->first = NEW(arena, uint32_t, p->n_streams + 1);
	if (!net->first)
		return false;
	lay_positions(net);
	positions = net->first[p->n_streams] - 2 * (size_t)p->n_parts;
	most = positions + (size_t)p->n_parts * (p->n_streams + 1);
	net->edges = NEW(arena, struct flow_edge, most);
	if (!net->edges)
		return false;
	add_edges(net);
	return mp_flow_init(flow, net->first[p->n_streams], net->edges,
		net->n_edges, arena);
}

/* What unused supply reaches gives nothing on; of that, who asks in vain. */
static bool name_crowd(struct problem *p, struct flow *flow,
	struct arena *arena, struct arena *scratch)
{
	bool *reached = NEW(scratch, bool, flow->n_nodes);
	uint32_t *crowd = NEW(arena, uint32_t, p->n_parts);

	if (!reached || !crowd)
		return false;
	mp_flow_reach(flow, reached);
	p->n_crowd = 0;
	for (uint32_t i = 0; i < p->n_parts; i++)
		if (reached[gives(i)] && !reached[asks(p, i)])
			crowd[p->n_crowd++] = i;
	p->crowd = crowd;
	return true;
}

static bool solve(struct problem *p, struct arena *arena, struct arena *scratch)
{
	struct network net = {.problem = p};
	struct flow flow;
	uint64_t total = 0;

	if (!build(&net, &flow, scratch))
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++) {
		flow.supply[gives(i)] = p->parts[i].size;
		flow.demand[asks(p, i)] = p->parts[i].size;
		total += p->parts[i].size;
	}
	p->theoretical_min = total - mp_flow_run(&flow, UINT64_MAX);
	return name_crowd(p, &flow, arena, scratch);
}

bool mp_antichain(struct problem *problem, struct arena *arena, struct error *e)
{
	struct arena scratch = mp_arena_beside(arena);
	bool fine = solve(problem, arena, &scratch);

	(void)e;
	mp_arena_free(&scratch);
	return fine;
}
