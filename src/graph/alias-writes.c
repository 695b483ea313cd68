/*
 * An alias that writes spoils the bytes for all that the forest names: they
 * must be done before that one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/alias-writes.h"

#include <string.h>

#include "graph/alias-tree.h"

/* ------------------------------------------------------------ names */

/* Up to what has a producer or is known to have none, then down the same way:
 * every alias is passed twice, however long the chains are. */
static void name_alias(struct graph *graph, uint32_t alias, bool *known)
{
	const struct tensor_alias *first = &graph->ties.aliases[alias];
	const struct tensor_alias *up = first;
	struct tensor *tensors = graph->tensors;
	uint32_t producer = tensors[first->tensor].producer;

	while (up && producer == NONE && !known[up->tensor]) {
		producer = tensors[up->of].producer;
		up = mp_graph_ties_alias(&graph->ties, up->of);
	}
	for (up = first; up && tensors[up->tensor].producer == NONE &&
			 !known[up->tensor];
		up = mp_graph_ties_alias(&graph->ties, up->of)) {
		tensors[up->tensor].producer = producer;
		known[up->tensor] = true;
	}
}

bool mp_graph_name_aliases(struct graph *graph, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	bool *known;

	if (graph->ties.n_aliases == 0)
		return true;
	known = NEW(arena, bool, graph->n_tensors);
	for (uint32_t i = 0; known && i < graph->ties.n_aliases; i++)
		name_alias(graph, i, known);
	mp_arena_rewind(arena, mark);
	return known != NULL;
}

/* ------------------------------------------------------------ edges */

struct edges {
	struct forest *forest;
	uint32_t *more; /* of an op: edges that end there */
	uint32_t **after;
	struct write_wait *waits; /* n_waits of them, when counted */
	uint32_t n_waits;
	struct error *error;
};

/* What is not made but read has to be read before: that is worth telling. */
static bool is_reader(const struct edges *edges, uint32_t older, uint32_t op)
{
	return edges->forest->graph->tensors[older].producer != op;
}

static const char *label(const struct graph *graph, uint32_t t)
{
	return mp_graph_tensor_label(&graph->tensors[t]);
}

static bool is_writer_beside(const struct forest *f, uint32_t older,
	const struct tensor_alias *writer)
{
	uint32_t node = f->node_of[older];

	return node < f->n_aliases && f->graph->ties.aliases[node].writes &&
	       f->beyond[node] <= f->place[f->node_of[writer->tensor]];
}

static bool count_edge(void *context, const struct tensor_alias *writer,
	uint32_t older, uint32_t op)
{
	struct edges *edges = context;
	const struct graph *graph = edges->forest->graph;

	edges->n_waits += is_reader(edges, older, op);
	if (graph->tensors[older].kind == KIND_OUTPUT ||
		graph->tensors[older].to_end)
		return mp_fail(edges->error, MEMPLAN_EINPUT,
			"%s: tensor '%.60s' is written over bytes of '%.60s', "
			"which is needed to the end",
			graph->place, label(graph, writer->tensor),
			label(graph, older));
	if (is_writer_beside(edges->forest, older, writer))
		return mp_fail(edges->error, MEMPLAN_EINPUT,
			"%s: tensors '%.60s' and '%.60s' are written to the "
			"same bytes: the later one must be an alias of the "
			"earlier",
			graph->place, label(graph, older),
			label(graph, writer->tensor));
	edges->more[graph->tensors[writer->tensor].producer]++;
	return true;
}

static bool add_edge(void *context, const struct tensor_alias *writer,
	uint32_t older, uint32_t op)
{
	struct edges *edges = context;
	uint32_t to = edges->forest->graph->tensors[writer->tensor].producer;

	if (is_reader(edges, older, op))
		edges->waits[edges->n_waits++] =
			(struct write_wait){writer->tensor, older, op};
	edges->after[to][edges->more[to]++] = op;
	return true;
}

static bool make_room(
	struct edges *edges, struct graph *graph, struct arena *arena)
{
	edges->after = NEW(arena, uint32_t *, graph->n_ops);
	edges->waits = NEW(arena, struct write_wait, edges->n_waits);
	if (!edges->after || !edges->waits)
		return false;
	graph->waits = edges->waits;
	graph->n_waits = edges->n_waits;
	edges->n_waits = 0;
	for (uint32_t i = 0; i < graph->n_ops; i++) {
		const struct ids *after = &graph->ops[i].after;

		if (edges->more[i] == 0)
			continue;
		edges->after[i] =
			NEW(arena, uint32_t, (size_t)after->n + edges->more[i]);
		if (!edges->after[i])
			return false;
		if (after->n > 0)
			memcpy(edges->after[i], after->at,
				sizeof(uint32_t) * after->n);
		edges->more[i] = after->n;
	}
	return true;
}

static bool writes_any(const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->ties.n_aliases; i++)
		if (graph->ties.aliases[i].writes)
			return true;
	return false;
}

static bool reads(const struct op *op, uint32_t tensor)
{
	for (uint32_t i = 0; i < op->inputs.n; i++)
		if (op->inputs.at[i] == tensor)
			return true;
	return false;
}

/* Who must be done before the op that makes an alias, though that one does not
 * list what it is an alias of among its inputs; or NONE. */
static uint32_t maker_before(
	const struct graph *graph, const struct tensor_alias *alias)
{
	uint32_t op = graph->tensors[alias->tensor].producer;
	uint32_t maker = graph->tensors[alias->of].producer;

	if (op == NONE || op == maker || reads(&graph->ops[op], alias->of))
		return NONE;
	return maker;
}

static void count_makers(struct edges *edges, const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->ties.n_aliases; i++) {
		const struct tensor_alias *alias = &graph->ties.aliases[i];

		if (maker_before(graph, alias) != NONE)
			edges->more[graph->tensors[alias->tensor].producer]++;
	}
}

static void add_makers(struct edges *edges, const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->ties.n_aliases; i++) {
		const struct tensor_alias *alias = &graph->ties.aliases[i];
		uint32_t maker = maker_before(graph, alias);

		if (maker != NONE)
			add_edge(edges, alias, alias->of, maker);
	}
}

bool mp_graph_order_aliases(
	struct graph *graph, struct arena *arena, struct error *e)
{
	struct forest forest = {.graph = graph};
	struct edges edges = {.forest = &forest, .error = e};

	graph->n_waits = 0;
	if (graph->ties.n_aliases == 0)
		return true;
	edges.more = NEW(arena, uint32_t, graph->n_ops);
	if (!edges.more ||
		(writes_any(graph) &&
			(!mp_graph_tree_plant(&forest, graph, arena) ||
				!mp_graph_tree_visit(
					&forest, count_edge, &edges))))
		return false;
	count_makers(&edges, graph);
	if (!make_room(&edges, graph, arena))
		return false;
	if (writes_any(graph))
		mp_graph_tree_visit(&forest, add_edge, &edges);
	add_makers(&edges, graph);
	for (uint32_t op = 0; op < graph->n_ops; op++)
		if (edges.after[op])
			graph->ops[op].after =
				(struct ids){edges.after[op], edges.more[op]};
	return true;
}

/* ------------------------------------------------------------ blame */

struct blame {
	const struct forest *forest;
	bool *reached;
	uint32_t *queue;
	uint32_t tries; /* a search each: not for ever */
	struct error *error;
};

/* Does the writer, without the edge in question, come before that op? */
static bool comes_before(struct blame *b, uint32_t from, uint32_t op)
{
	const struct graph *graph = b->forest->graph;
	uint32_t head = 0, tail = 0;

	memset(b->reached, 0, sizeof(*b->reached) * graph->n_ops);
	b->queue[tail++] = from;
	b->reached[from] = true;
	while (head < tail && !b->reached[op]) {
		const struct ids *behind = &graph->ops[b->queue[head++]].behind;

		for (uint32_t i = 0; i < behind->n; i++) {
			if (b->reached[behind->at[i]])
				continue;
			b->reached[behind->at[i]] = true;
			b->queue[tail++] = behind->at[i];
		}
	}
	return b->reached[op];
}

static bool blame_edge(void *context, const struct tensor_alias *writer,
	uint32_t older, uint32_t op)
{
	struct blame *b = context;
	const struct graph *graph = b->forest->graph;
	uint32_t from = graph->tensors[writer->tensor].producer;

	if (b->tries-- == 0)
		return false;
	if (!comes_before(b, from, op))
		return true;
	b->error->code = MEMPLAN_OK;
	return mp_fail(b->error, MEMPLAN_EINPUT,
		"%s: op %u '%.40s' writes tensor '%.60s' over bytes of "
		"'%.60s', which op %u '%.40s' still needs behind it",
		graph->place, from, mp_graph_op_label(graph, from),
		label(graph, writer->tensor), label(graph, older), op,
		mp_graph_op_label(graph, op));
}

bool mp_graph_blame_write(
	const struct graph *graph, struct arena *arena, struct error *e)
{
	enum {
		MOST_TRIES = 1000
	};
	struct forest forest;
	struct blame b = {.forest = &forest, .error = e, .tries = MOST_TRIES};

	if (e->code != MEMPLAN_EINPUT || !writes_any(graph))
		return false;
	b.reached = NEW(arena, bool, graph->n_ops);
	b.queue = NEW(arena, uint32_t, graph->n_ops);
	if (b.reached && b.queue && mp_graph_tree_plant(&forest, graph, arena))
		mp_graph_tree_visit(&forest, blame_edge, &b);
	return false;
}
