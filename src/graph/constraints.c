/*
 * Constraints on the order become edges between ops, so that orders, bounds and
 * searches need no rules for them. Few edges suffice: a sequence is a chain,
 * and an op that runs first or last gets an edge only to ops that are not
 * ordered already through others. A limit on displacement becomes a barrier
 * every few ops.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/graph.h"

#include <assert.h>
#include <string.h>

enum place {
	ANYWHERE,
	FIRST,
	LAST,
};

struct edges {
	struct graph *graph;
	uint8_t *place;	  /* of an op: enum place */
	bool *barrier;	  /* of an op */
	uint32_t *more;	  /* of an op: edges that end there */
	uint32_t **after; /* of an op: its list with room for them */
	bool adding;	  /* edges are added; else only counted */
};

static void add_edge(struct edges *edges, uint32_t before, uint32_t op)
{
	const struct ids *after = &edges->graph->ops[op].after;

	assert(before < edges->graph->n_ops && op < edges->graph->n_ops);
	if (edges->adding)
		edges->after[op][after->n + edges->more[op]] = before;
	edges->more[op]++;
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
	memset(edges->more, 0, sizeof(*edges->more) * edges->graph->n_ops);
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
			return mp_fail(e, MEMPLAN_EINPUT,
				"%s: op %u '%s' is to run first or last twice",
				graph->place, ops->at[i],
				graph->ops[ops->at[i]].name);
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

static bool make_room(struct edges *edges, struct arena *arena)
{
	const struct op *op;

	for (uint32_t i = 0; i < edges->graph->n_ops; i++) {
		op = &edges->graph->ops[i];
		edges->after[i] = NEW(
			arena, uint32_t, (size_t)op->after.n + edges->more[i]);
		if (!edges->after[i])
			return false;
		if (op->after.n > 0)
			memcpy(edges->after[i], op->after.at,
				sizeof(uint32_t) * op->after.n);
	}
	return true;
}

bool mp_graph_constrain(
	struct graph *graph, struct arena *arena, struct error *e)
{
	const struct constraints *c = &graph->constraints;
	struct edges edges = {.graph = graph};

	if (!c->n_keep && !c->first.n && !c->last.n && !c->barriers.n &&
		!c->max_displacement)
		return true;
	edges.place = NEW(arena, uint8_t, graph->n_ops);
	edges.barrier = NEW(arena, bool, graph->n_ops);
	edges.more = NEW(arena, uint32_t, graph->n_ops);
	edges.after = NEW(arena, uint32_t *, graph->n_ops);
	if (!edges.place || !edges.barrier || !edges.more || !edges.after ||
		!set_places(&edges, &c->first, FIRST, e) ||
		!set_places(&edges, &c->last, LAST, e) ||
		!set_barriers(&edges, e))
		return false;
	tie_all(&edges, false);
	if (!make_room(&edges, arena))
		return false;
	tie_all(&edges, true);
	for (uint32_t op = 0; op < graph->n_ops; op++)
		graph->ops[op].after = (struct ids){edges.after[op],
			graph->ops[op].after.n + edges.more[op]};
	return mp_graph_link(graph, arena, e);
}
