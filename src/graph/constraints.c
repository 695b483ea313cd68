/*
 * Constraints on the order become edges between ops, so that orders, bounds and
 * searches need no rules for them. Few edges suffice: a sequence is a chain,
 * and an op that runs first or last gets an edge only to ops that are not
 * ordered already through others. A limit on displacement becomes a barrier
 * every few ops, and the first and the last op of a loop are barriers: so its
 * body stays together.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/inside.h"

#include <assert.h>

enum place {
	ANYWHERE,
	FIRST,
	LAST,
};

struct edges {
	struct graph *graph;
	uint8_t *place; /* of an op: enum place */
	bool *barrier;	/* of an op */
	struct lists after;
	bool adding; /* edges are added; else only counted */
};

static void add_edge(struct edges *edges, uint32_t before, uint32_t op)
{
	assert(before < edges->graph->n_ops && op < edges->graph->n_ops);
	if (edges->adding)
		mp_lists_add(&edges->after, op, before);
	else
		mp_lists_count(&edges->after, op, 1);
}

static void add_chain(struct edges *edges, const struct ids *ops)
{
	for (uint32_t i = 1; i < ops->n; i++)
		add_edge(edges, ops->at[i - 1], ops->at[i]);
}

static bool has_other(
	const struct edges *edges, const struct ids *ops, enum place place)
{
	for (uint32_t i = 0; i < ops->n; i++)
		if (edges->place[ops->at[i]] != place)
			return true;
	return false;
}

/* All other ops run after the last of the first ones. An edge to those that
 * wait for no other op is enough. */
static void tie_first(struct edges *edges, const struct ids *first)
{
	const struct graph *graph = edges->graph;

	add_chain(edges, first);
	for (uint32_t op = 0; first->n > 0 && op < graph->n_ops; op++)
		if (edges->place[op] != FIRST &&
			!has_other(edges, &graph->ops[op].before, FIRST))
			add_edge(edges, first->at[first->n - 1], op);
}

static void tie_last(struct edges *edges, const struct ids *last)
{
	const struct graph *graph = edges->graph;

	add_chain(edges, last);
	for (uint32_t op = 0; last->n > 0 && op < graph->n_ops; op++)
		if (edges->place[op] != LAST &&
			!has_other(edges, &graph->ops[op].behind, LAST))
			add_edge(edges, op, last->at[0]);
}

/* Edges from every op to the barrier before it in the list and the one after.
 */
static void tie_barriers(struct edges *edges)
{
	uint32_t n = edges->graph->n_ops, barrier = NONE;

	for (uint32_t op = 0; op < n; op++) {
		if (barrier != NONE)
			add_edge(edges, barrier, op);
		if (edges->barrier[op])
			barrier = op;
	}
	barrier = NONE;
	for (uint32_t op = n; op-- > 0;) {
		if (barrier != NONE && !edges->barrier[op])
			add_edge(edges, op, barrier);
		if (edges->barrier[op])
			barrier = op;
	}
}

static void tie_all(struct edges *edges, bool adding)
{
	const struct constraints *c = &edges->graph->constraints;

	edges->adding = adding;
	for (uint32_t i = 0; i < c->n_keep; i++)
		add_chain(edges, &c->keep[i]);
	tie_first(edges, &c->first);
	tie_last(edges, &c->last);
	tie_barriers(edges);
}

static bool set_places(struct edges *edges, const struct ids *ops,
	enum place place, struct error *e)
{
	const struct graph *graph = edges->graph;

	for (uint32_t i = 0; i < ops->n; i++) {
		if (edges->place[ops->at[i]] != ANYWHERE)
			return mp_graph_fail(graph, THING_OP, ops->at[i], e,
				MEMPLAN_EINPUT,
				"op %u '%s' is to run first or last twice",
				ops->at[i], graph->ops[ops->at[i]].name);
		edges->place[ops->at[i]] = (uint8_t)place;
	}
	return true;
}

/* If no more than max_displacement + 1 ops stand between two barriers, no op
 * moves by more than max_displacement places. */
static bool set_barriers(struct edges *edges, struct error *e)
{
	const struct graph *graph = edges->graph;
	const struct constraints *c = &graph->constraints;
	uint32_t free = 0;

	for (uint32_t i = 0; i < c->barriers.n; i++)
		edges->barrier[c->barriers.at[i]] = true;
	for (uint32_t i = 0; i < graph->n_loops; i++) {
		edges->barrier[graph->loops[i].first] = true;
		edges->barrier[graph->loops[i].last] = true;
	}
	if (c->max_displacement == 0)
		return true;
	for (uint32_t op = 0; op < graph->n_ops; op++) {
		const struct ids *before = &graph->ops[op].before;

		if (before->n > 0 && before->at[before->n - 1] > op)
			return mp_fail(e, MEMPLAN_EINPUT,
				"%s: /max_displacement: op %u is listed before "
				"op %u, which it waits for",
				graph->place, op, before->at[before->n - 1]);
		if (free > c->max_displacement)
			edges->barrier[op] = true;
		free = edges->barrier[op] ? 0 : free + 1;
	}
	return true;
}

bool mp_graph_constrain(
	struct graph *graph, struct arena *arena, struct error *e)
{
	const struct constraints *c = &graph->constraints;
	struct edges edges = {.graph = graph};

	if (!c->n_keep && !c->first.n && !c->last.n && !c->barriers.n &&
		!c->max_displacement && graph->n_loops == 0)
		return true;
	edges.place = NEW(arena, uint8_t, graph->n_ops);
	edges.barrier = NEW(arena, bool, graph->n_ops);
	if (!edges.place || !edges.barrier ||
		!mp_graph_after_init(&edges.after, graph, arena) ||
		!set_places(&edges, &c->first, FIRST, e) ||
		!set_places(&edges, &c->last, LAST, e) ||
		!set_barriers(&edges, e))
		return false;
	tie_all(&edges, false);
	if (!mp_graph_after_ready(&edges.after, graph, arena))
		return false;
	tie_all(&edges, true);
	mp_graph_after_set(&edges.after, graph);
	return mp_graph_link(graph, arena, e);
}
