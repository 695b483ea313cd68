/*
 * A part precedes another if it is free where the other is born. A set of parts
 * of which none precedes another is an antichain. By Dilworth's theorem with
 * weights its greatest weight is the least number of bytes that suffice if
 * every byte may be handed on along a chain. That is a flow: each part offers
 * its bytes where it is free and asks for bytes where it is born, and the bytes
 * that no part gets are the answer. The relation has n x n pairs, but positions
 * suffice: a part that is free at a position is free for all parts that are
 * born there or later on that stream.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/problem.h"

#include <string.h>

#include "base/max-flow.h"

/* Nodes: one for what each part gives, one for what it asks, and two segment
 * trees over the positions of each stream. Node i of the lower tree has the
 * positions of nodes 2 i and 2 i + 1; node i of the upper tree has those and
 * all later ones. So a path from a position to a later one has few edges. */
struct network {
	const struct problem *problem;
	uint32_t *first; /* node of a stream's trees; one more for the end */
	uint32_t *width; /* of a stream: leaves of a tree, a power of two */
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

/* The node of these positions. */
static uint32_t lower(const struct network *net, uint32_t stream, uint32_t at)
{
	return net->first[stream] + at;
}

/* The node of these and all later positions: that of a left half is that of its
 * parent. */
static uint32_t upper(const struct network *net, uint32_t stream, uint32_t at)
{
	while (at % 2 == 0)
		at /= 2;
	return net->first[stream] + 2 * net->width[stream] + at;
}

static void add_edge(struct network *net, uint32_t from, uint32_t to)
{
	net->edges[net->n_edges++] = (struct flow_edge){from, to};
}

/* Positions end with the last at which a part is born: a part that is free only
 * later is free for no part. */
static void lay_positions(struct network *net, uint32_t *count)
{
	const struct problem *p = net->problem;

	for (uint32_t i = 0; i < p->n_parts; i++)
		if (count[p->stream[i]] <= p->born[i])
			count[p->stream[i]] = p->born[i] + 1;
	net->first[0] = 2 * p->n_parts;
	for (uint32_t k = 0; k < p->n_streams; k++) {
		for (net->width[k] = 1; net->width[k] < count[k];)
			net->width[k] *= 2;
		net->first[k + 1] = net->first[k] + 4 * net->width[k];
	}
}

/* The later positions of a right half are the half and those after its parent.
 */
static void add_trees(struct network *net, uint32_t stream)
{
	uint32_t width = net->width[stream];

	for (uint32_t at = 1; at < width; at++) {
		add_edge(net, lower(net, stream, at),
			lower(net, stream, 2 * at));
		add_edge(net, lower(net, stream, at),
			lower(net, stream, 2 * at + 1));
	}
	for (uint32_t at = 1; at < 2 * width; at += 2) {
		uint32_t behind = at / 2 + 1;

		add_edge(net, upper(net, stream, at), lower(net, stream, at));
		if (at > 1 && !num_is_pow2(behind))
			add_edge(net, upper(net, stream, at),
				upper(net, stream, behind));
	}
}

static void add_edges(struct network *net, const uint32_t *count)
{
	const struct problem *p = net->problem;

	for (uint32_t k = 0; k < p->n_streams; k++)
		add_trees(net, k);
	for (uint32_t i = 0; i < p->n_parts; i++) {
		const uint32_t *row = p->free + (size_t)i * p->n_streams;
		uint32_t own = p->stream[i];

		add_edge(net, lower(net, own, net->width[own] + p->born[i]),
			asks(p, i));
		for (uint32_t k = 0; k < p->n_streams; k++)
			if (row[k] < count[k])
				add_edge(net, gives(i),
					upper(net, k, net->width[k] + row[k]));
	}
}

static bool build(struct network *net, struct flow *flow, struct arena *arena)
{
	const struct problem *p = net->problem;
	uint32_t *count = NEW(arena, uint32_t, p->n_streams);
	size_t nodes, most;

	net->first = NEW(arena, uint32_t, p->n_streams + 1);
	net->width = NEW(arena, uint32_t, p->n_streams);
	if (!count || !net->first || !net->width)
		return false;
	lay_positions(net, count);
	nodes = net->first[p->n_streams] - 2 * (size_t)p->n_parts;
	most = nodes + (size_t)p->n_parts * (p->n_streams + 1);
	net->edges = NEW(arena, struct flow_edge, most);
	if (!net->edges)
		return false;
	add_edges(net, count);
	return mp_flow_init(flow, net->first[p->n_streams], net->edges,
		net->n_edges, arena);
}

/* The antichain: parts with unused supply in reach that get no bytes. */
static bool find_antichain(struct problem *p, struct flow *flow,
	struct arena *arena, struct arena *scratch)
{
	bool *reached = NEW(scratch, bool, flow->n_nodes);
	uint32_t *antichain = NEW(arena, uint32_t, p->n_parts);

	if (!reached || !antichain)
		return false;
	mp_flow_reach(flow, reached);
	p->n_antichain = 0;
	for (uint32_t i = 0; i < p->n_parts; i++)
		if (reached[gives(i)] && !reached[asks(p, i)])
			antichain[p->n_antichain++] = i;
	p->antichain = antichain;
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
	return find_antichain(p, &flow, arena, scratch);
}

static bool same_sizes(const struct problem *a, const struct problem *b)
{
	for (uint32_t i = 0; i < a->n_parts; i++)
		if (a->parts[i].size != b->parts[i].size)
			return false;
	return true;
}

bool mp_problem_share_antichain(
	struct problem *problem, const struct problem *other)
{
	size_t n = problem->n_parts, bytes = sizeof(*problem->free) * n;

	if (other->n_parts != n || other->n_streams != problem->n_streams ||
		!mp_problem_over_timings(other) || !other->antichain ||
		!same_sizes(problem, other) ||
		memcmp(problem->stream, other->stream, bytes) != 0 ||
		memcmp(problem->born, other->born, bytes) != 0 ||
		memcmp(problem->free, other->free,
			bytes * problem->n_streams) != 0)
		return false;
	problem->theoretical_min = other->theoretical_min;
	problem->antichain = other->antichain;
	problem->n_antichain = other->n_antichain;
	return true;
}

bool mp_problem_antichain(struct problem *problem, struct arena *arena)
{
	struct arena scratch = mp_arena_beside(arena);
	bool fine = solve(problem, arena, &scratch);

	mp_arena_free(&scratch);
	return fine;
}
