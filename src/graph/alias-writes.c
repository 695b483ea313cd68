/*
 * Edges between the ops of an alias tree: base before alias, readers of old
 * contents before the op that overwrites them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/inside.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------ names */

/* Walks up to a tensor that has a producer or is known to have none, then the
 * same way again to set it. Each alias is visited twice in all, so long chains
 * take linear time. */
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
	struct alias_tree *tree;
	struct lists after;
	struct write_wait *waits; /* n_waits of them, when counted */
	uint32_t n_waits;
	struct error *error;
};

/* Does the op read the older tensor, rather than make it? */
static bool is_reader(const struct edges *edges, uint32_t older, uint32_t op)
{
	return edges->tree->graph->tensors[older].producer != op;
}

static const char *label(const struct graph *graph, uint32_t t)
{
	return mp_graph_tensor_label(&graph->tensors[t]);
}

static bool is_writer_beside(const struct alias_tree *f, uint32_t older,
	const struct tensor_alias *writer)
{
	uint32_t node = f->node_of[older];

	return node < f->n_aliases && f->graph->ties.aliases[node].writes &&
	       f->end[node] <= f->place[f->node_of[writer->tensor]];
}

static bool is_kept(const struct tensor *tensor)
{
	return tensor->kind == KIND_OUTPUT || tensor->to_end;
}

static bool count_edge(void *context, const struct tensor_alias *writer,
	uint32_t older, uint32_t op)
{
	struct edges *edges = context;
	const struct graph *graph = edges->tree->graph;

	if (op == NONE && is_kept(&graph->tensors[older]))
		return mp_graph_fail(graph, THING_TENSOR, writer->tensor,
			edges->error, MEMPLAN_EINPUT,
			"tensor '%.60s' is written over bytes of '%.60s', "
			"which is needed to the end",
			label(graph, writer->tensor), label(graph, older));
	if (op == NONE)
		return true;
	if (is_reader(edges, older, op) &&
		mp_graph_loop_overwrites(graph, op, older, writer->tensor))
		return mp_graph_fail(graph, THING_TENSOR, writer->tensor,
			edges->error, MEMPLAN_EINPUT,
			"tensor '%.60s' is written over bytes of '%.60s', "
			"which the next iteration of a loop needs",
			label(graph, writer->tensor), label(graph, older));
	if (op == graph->tensors[writer->tensor].producer)
		return true;
	edges->n_waits += is_reader(edges, older, op);
	if (is_writer_beside(edges->tree, older, writer))
		return mp_graph_fail(graph, THING_TENSOR, writer->tensor,
			edges->error, MEMPLAN_EINPUT,
			"tensors '%.60s' and '%.60s' are written to the same "
			"bytes: the later one must be an alias of the earlier",
			label(graph, older), label(graph, writer->tensor));
	mp_lists_count(
		&edges->after, graph->tensors[writer->tensor].producer, 1);
	return true;
}

static bool add_edge(void *context, const struct tensor_alias *writer,
	uint32_t older, uint32_t op)
{
	struct edges *edges = context;
	uint32_t to = edges->tree->graph->tensors[writer->tensor].producer;

	if (op == NONE || op == to)
		return true;
	if (is_reader(edges, older, op))
		edges->waits[edges->n_waits++] =
			(struct write_wait){writer->tensor, older, op};
	mp_lists_add(&edges->after, to, op);
	return true;
}

static bool make_room(
	struct edges *edges, struct graph *graph, struct arena *arena)
{
	edges->waits = NEW(arena, struct write_wait, edges->n_waits);
	if (!edges->waits || !mp_graph_after_ready(&edges->after, graph, arena))
		return false;
	assert(graph->n_waits == 0);
	graph->waits = edges->waits;
	graph->n_waits = edges->n_waits;
	edges->n_waits = 0;
	return true;
}

static bool writes_any(const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->ties.n_aliases; i++)
		if (graph->ties.aliases[i].writes)
			return true;
	return false;
}

/* The producer of the base tensor, if the producer of the alias does not list
 * that tensor as an input and so needs an edge; or NONE. */
static uint32_t maker_before(
	const struct graph *graph, const struct tensor_alias *alias)
{
	uint32_t op = graph->tensors[alias->tensor].producer;
	uint32_t maker = graph->tensors[alias->of].producer;

	if (op == NONE || op == maker ||
		mp_lists_contain(
			mp_graph_readers(graph, &graph->tensors[alias->of]),
			op))
		return NONE;
	return maker;
}

static void count_makers(struct edges *edges, const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->ties.n_aliases; i++) {
		const struct tensor_alias *alias = &graph->ties.aliases[i];

		if (maker_before(graph, alias) != NONE)
			mp_lists_count(&edges->after,
				graph->tensors[alias->tensor].producer, 1);
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
	struct alias_tree tree = {.graph = graph};
	struct edges edges = {.tree = &tree, .error = e};

	graph->n_waits = 0;
	if (graph->ties.n_aliases == 0)
		return true;
	if (!mp_graph_after_init(&edges.after, graph, arena) ||
		(writes_any(graph) &&
			(!mp_graph_alias_tree_init(&tree, graph, arena) ||
				!mp_graph_alias_tree_visit(
					&tree, count_edge, &edges))))
		return false;
	count_makers(&edges, graph);
	if (!make_room(&edges, graph, arena))
		return false;
	if (writes_any(graph))
		mp_graph_alias_tree_visit(&tree, add_edge, &edges);
	assert(edges.n_waits == graph->n_waits);
	add_makers(&edges, graph);
	mp_graph_after_set(&edges.after, graph);
	return true;
}

/* ------------------------------------------------------------ blame */

struct blame {
	const struct alias_tree *tree;
	bool *reached;
	uint32_t *queue;
	uint32_t tries; /* searches left: each is linear in the graph */
	struct error *error;
};

/* Is there a path from the writer to the op? With the edge op -> writer it is a
 * cycle. */
static bool comes_before(struct blame *b, uint32_t from, uint32_t op)
{
	const struct graph *graph = b->tree->graph;
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
	const struct graph *graph = b->tree->graph;
	uint32_t from = graph->tensors[writer->tensor].producer;

	if (b->tries-- == 0)
		return false;
	if (op == NONE || op == from || !comes_before(b, from, op))
		return true;
	b->error->code = MEMPLAN_OK;
	return mp_graph_fail(graph, THING_OP, from, b->error, MEMPLAN_EINPUT,
		"op %u '%.40s' writes tensor '%.60s' over bytes of '%.60s', "
		"which op %u '%.40s' still needs behind it",
		from, mp_graph_op_label(graph, from),
		label(graph, writer->tensor), label(graph, older), op,
		mp_graph_op_label(graph, op));
}

bool mp_graph_blame_write(
	const struct graph *graph, struct arena *arena, struct error *e)
{
	enum {
		MOST_TRIES = 1000
	};
	struct alias_tree tree;
	struct blame b = {.tree = &tree, .error = e, .tries = MOST_TRIES};

	if (e->code != MEMPLAN_EINPUT || !writes_any(graph))
		return false;
	b.reached = NEW(arena, bool, graph->n_ops);
	b.queue = NEW(arena, uint32_t, graph->n_ops);
	if (b.reached && b.queue &&
		mp_graph_alias_tree_init(&tree, graph, arena))
		mp_graph_alias_tree_visit(&tree, blame_edge, &b);
	return false;
}
