/*
 * Aliases form trees: each is a child of what it is an alias of. A tensor has
 * what its ancestors wrote last, so an alias that writes spoils the bytes for
 * all that are not below it. Of those only the ones below the next writer above
 * it (or the root) matter: the others must be done before that one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "writes.h"

#include <string.h>

/* Nodes are aliases, by number, and behind them the roots. */
struct forest {
	const struct graph *graph;
	uint32_t n_aliases, n_nodes;
	uint32_t *node_of;  /* of a tensor; NONE: no alias and none of it */
	uint32_t *tensor;   /* of a node */
	uint32_t *parent;   /* NONE: a root */
	uint32_t *preorder; /* nodes, each before all below it */
	uint32_t *place;    /* of a node in it */
	uint32_t *beyond;   /* place behind the last that is below a node */
};

/* The writer's bytes are older's too; op reads them. */
typedef bool visit(void *context, const struct tensor_alias *writer,
	uint32_t older, uint32_t op);

/* ------------------------------------------------------------------- trees */

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
		up = mp_ties_alias(&graph->ties, up->of);
	}
	for (up = first; up && tensors[up->tensor].producer == NONE &&
			 !known[up->tensor];
		up = mp_ties_alias(&graph->ties, up->of)) {
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

static uint32_t add_root(struct forest *f, uint32_t tensor)
{
	if (f->node_of[tensor] == NONE) {
		f->node_of[tensor] = f->n_nodes;
		f->tensor[f->n_nodes] = tensor;
		f->parent[f->n_nodes++] = NONE;
	}
	return f->node_of[tensor];
}

static void add_nodes(struct forest *f)
{
	const struct tensor_alias *aliases = f->graph->ties.aliases;

	for (uint32_t i = 0; i < f->n_aliases; i++) {
		f->tensor[i] = aliases[i].tensor;
		f->node_of[aliases[i].tensor] = i;
	}
	f->n_nodes = f->n_aliases;
	for (uint32_t i = 0; i < f->n_aliases; i++)
		f->parent[i] = add_root(f, aliases[i].of);
}

/* Children are linked lists; the way down and up needs no stack. */
static void walk_tree(struct forest *f, uint32_t root, const uint32_t *child,
	const uint32_t *sibling, uint32_t *n)
{
	uint32_t at = root;

	for (;;) {
		f->place[at] = *n;
		f->preorder[(*n)++] = at;
		if (child[at] != NONE) {
			at = child[at];
			continue;
		}
		f->beyond[at] = *n;
		while (at != root && sibling[at] == NONE) {
			at = f->parent[at];
			f->beyond[at] = *n;
		}
		if (at == root)
			return;
		at = sibling[at];
	}
}

static bool number_nodes(struct forest *f, struct arena *arena)
{
	uint32_t *child = NEW(arena, uint32_t, f->n_nodes);
	uint32_t *sibling = NEW(arena, uint32_t, f->n_nodes), n = 0;

	if (!child || !sibling)
		return false;
	for (uint32_t i = 0; i < f->n_nodes; i++)
		child[i] = NONE;
	for (uint32_t i = f->n_nodes; i-- > 0;) {
		if (f->parent[i] == NONE)
			continue;
		sibling[i] = child[f->parent[i]];
		child[f->parent[i]] = i;
	}
	for (uint32_t i = f->n_aliases; i < f->n_nodes; i++)
		walk_tree(f, i, child, sibling, &n);
	return true;
}

static bool plant(
	struct forest *f, const struct graph *graph, struct arena *arena)
{
	uint32_t n = graph->ties.n_aliases, most = 2 * n;

	*f = (struct forest){.graph = graph, .n_aliases = n};
	f->node_of = NEW(arena, uint32_t, graph->n_tensors);
	f->tensor = NEW(arena, uint32_t, most);
	f->parent = NEW(arena, uint32_t, most);
	f->preorder = NEW(arena, uint32_t, most);
	f->place = NEW(arena, uint32_t, most);
	f->beyond = NEW(arena, uint32_t, most);
	if (!f->node_of || !f->tensor || !f->parent || !f->preorder ||
		!f->place || !f->beyond)
		return false;
	memset(f->node_of, 0xff, sizeof(*f->node_of) * graph->n_tensors);
	add_nodes(f);
	return number_nodes(f, arena);
}

/* ---------------------------------------------------------------- conflicts */

static bool overlaps(const struct forest *f, uint32_t node,
	const struct tensor_alias *writer)
{
	const struct tensor *tensors = f->graph->tensors;
	uint64_t base = 0, size = tensors[f->tensor[node]].size;
	uint64_t end = writer->base + tensors[writer->tensor].size;

	if (node < f->n_aliases)
		base = f->graph->ties.aliases[node].base;
	return base < end && writer->base < base + size;
}

/* The next that writes above, or the root. */
static uint32_t writer_above(const struct forest *f, uint32_t node)
{
	do
		node = f->parent[node];
	while (node < f->n_aliases && !f->graph->ties.aliases[node].writes);
	return node;
}

static bool visit_readers(const struct forest *f, uint32_t node,
	const struct tensor_alias *writer, visit *call, void *context)
{
	uint32_t older = f->tensor[node];
	const struct tensor *tensor = &f->graph->tensors[older];
	uint32_t op = f->graph->tensors[writer->tensor].producer;

	if (tensor->producer != NONE && tensor->producer != op &&
		!call(context, writer, older, tensor->producer))
		return false;
	for (uint32_t i = 0; i < tensor->readers.n; i++)
		if (tensor->readers.at[i] != op &&
			!call(context, writer, older, tensor->readers.at[i]))
			return false;
	return true;
}

/* All whose bytes the alias spoils, with those that need them. */
static bool visit_older(
	const struct forest *f, uint32_t alias, visit *call, void *context)
{
	const struct tensor_alias *writer = &f->graph->ties.aliases[alias];
	uint32_t above = writer_above(f, alias), at = f->place[above];

	while (at < f->beyond[above]) {
		uint32_t node = f->preorder[at++];

		if (node == alias)
			at = f->beyond[alias];
		else if (overlaps(f, node, writer) &&
			 !visit_readers(f, node, writer, call, context))
			return false;
	}
	return true;
}

static bool visit_all(const struct forest *f, visit *call, void *context)
{
	for (uint32_t i = 0; i < f->n_aliases; i++)
		if (f->graph->ties.aliases[i].writes &&
			!visit_older(f, i, call, context))
			return false;
	return true;
}

/* -------------------------------------------------------------------- edges */

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
	return mp_tensor_label(&graph->tensors[t]);
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
			(!plant(&forest, graph, arena) ||
				!visit_all(&forest, count_edge, &edges))))
		return false;
	count_makers(&edges, graph);
	if (!make_room(&edges, graph, arena))
		return false;
	if (writes_any(graph))
		visit_all(&forest, add_edge, &edges);
	add_makers(&edges, graph);
	for (uint32_t op = 0; op < graph->n_ops; op++)
		if (edges.after[op])
			graph->ops[op].after =
				(struct ids){edges.after[op], edges.more[op]};
	return true;
}

/* ------------------------------------------------------------------- blame */

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
		graph->place, from, mp_op_label(graph, from),
		label(graph, writer->tensor), label(graph, older), op,
		mp_op_label(graph, op));
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
	if (b.reached && b.queue && plant(&forest, graph, arena))
		visit_all(&forest, blame_edge, &b);
	return false;
}
