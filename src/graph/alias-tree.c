/* SPDX-License-Identifier: MIT */
#include "graph/alias-tree.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ trees */

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

struct sibling {
	uint64_t base;
	uint32_t node;
};

static int by_base(const void *left, const void *right)
{
	const struct sibling *a = left, *b = right;

	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Linked lists of children. */
static void link_siblings(const struct forest *f, struct sibling *sorted,
	uint32_t *child, uint32_t *sibling)
{
	for (uint32_t i = 0; i < f->n_aliases; i++)
		sorted[i] = (struct sibling){f->graph->ties.aliases[i].base, i};
	qsort(sorted, f->n_aliases, sizeof(*sorted), by_base);
	for (uint32_t i = 0; i < f->n_nodes; i++)
		child[i] = sibling[i] = NONE;
	for (uint32_t i = f->n_aliases; i-- > 0;) {
		uint32_t node = sorted[i].node, parent = f->parent[node];

		sibling[node] = child[parent];
		child[parent] = node;
	}
}

static bool number_nodes(struct forest *f, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *child = NEW(arena, uint32_t, f->n_nodes);
	uint32_t *sibling = NEW(arena, uint32_t, f->n_nodes), n = 0;
	struct sibling *sorted = NEW(arena, struct sibling, f->n_aliases);
	bool fine = child && sibling && sorted;

	if (fine)
		link_siblings(f, sorted, child, sibling);
	for (uint32_t i = f->n_aliases; fine && i < f->n_nodes; i++)
		walk_tree(f, i, child, sibling, &n);
	mp_arena_rewind(arena, mark);
	return fine;
}

static void find_above(struct forest *f)
{
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		uint32_t node = f->preorder[i], parent = f->parent[node];

		f->above[node] = parent;
		if (parent < f->n_aliases &&
			!f->graph->ties.aliases[parent].writes)
			f->above[node] = f->above[parent];
	}
}

/* ------------------------------------------------------------ bytes */

static struct byte_hull bytes_of(const struct forest *f, uint32_t node)
{
	uint64_t base = 0, size = f->graph->tensors[f->tensor[node]].size;

	if (node < f->n_aliases)
		base = f->graph->ties.aliases[node].base;
	return (struct byte_hull){base, base + size};
}

static void join_hulls(struct forest *f)
{
	for (uint32_t i = 0; i < f->n_leaves; i++)
		f->hulls[f->n_leaves + i] =
			i < f->n_nodes ? bytes_of(f, f->preorder[i])
				       : (struct byte_hull){UINT64_MAX, 0};
	for (uint32_t i = f->n_leaves; i-- > 1;) {
		const struct byte_hull *two = &f->hulls[2 * (size_t)i];

		f->hulls[i].low = num_min(two[0].low, two[1].low);
		f->hulls[i].high = num_max(two[0].high, two[1].high);
	}
}

bool mp_graph_tree_plant(
	struct forest *f, const struct graph *graph, struct arena *arena)
{
	uint32_t n = graph->ties.n_aliases, most = 2 * n;

	*f = (struct forest){.graph = graph, .n_aliases = n, .n_leaves = 1};
	f->node_of = NEW(arena, uint32_t, graph->n_tensors);
	f->tensor = NEW(arena, uint32_t, most);
	f->parent = NEW(arena, uint32_t, most);
	f->above = NEW(arena, uint32_t, most);
	f->preorder = NEW(arena, uint32_t, most);
	f->place = NEW(arena, uint32_t, most);
	f->beyond = NEW(arena, uint32_t, most);
	if (!f->node_of || !f->tensor || !f->parent || !f->above ||
		!f->preorder || !f->place || !f->beyond)
		return false;
	memset(f->node_of, 0xff, sizeof(*f->node_of) * graph->n_tensors);
	add_nodes(f);
	while (f->n_leaves < f->n_nodes)
		f->n_leaves *= 2;
	f->hulls = NEW(arena, struct byte_hull, 2 * (size_t)f->n_leaves);
	if (!f->hulls || !number_nodes(f, arena))
		return false;
	find_above(f);
	join_hulls(f);
	return true;
}

/* ----------------------------------------------------------- visits */

struct tour {
	const struct forest *forest;
	const struct tensor_alias *writer;
	struct byte_hull bytes; /* that the writer spoils */
	uint32_t from, to;	/* places */
	mp_forest_visitor *visit;
	void *context;
};

static bool visit_node(const struct tour *tour, uint32_t node)
{
	const struct forest *f = tour->forest;
	uint32_t older = f->tensor[node];
	const struct tensor *tensor = &f->graph->tensors[older];
	uint32_t op = f->graph->tensors[tour->writer->tensor].producer;

	if (tensor->producer != NONE && tensor->producer != op &&
		!tour->visit(
			tour->context, tour->writer, older, tensor->producer))
		return false;
	for (uint32_t i = 0; i < tensor->readers.n; i++)
		if (tensor->readers.at[i] != op &&
			!tour->visit(tour->context, tour->writer, older,
				tensor->readers.at[i]))
			return false;
	return true;
}

/* What has bytes in common with the writer, of the places that the hull is of:
 * width of them from low on. */
static bool visit_hull(
	const struct tour *tour, uint32_t hull, uint32_t low, uint32_t width)
{
	const struct byte_hull *bytes = &tour->forest->hulls[hull];

	if (low + width <= tour->from || tour->to <= low ||
		bytes->high <= tour->bytes.low ||
		tour->bytes.high <= bytes->low)
		return true;
	if (width == 1)
		return visit_node(tour, tour->forest->preorder[low]);
	width /= 2;
	return visit_hull(tour, 2 * hull, low, width) &&
	       visit_hull(tour, 2 * hull + 1, low + width, width);
}

static bool visit_places(struct tour *tour, uint32_t from, uint32_t to)
{
	tour->from = from;
	tour->to = to;
	return visit_hull(tour, 1, 0, tour->forest->n_leaves);
}

/* Below the next writer, but not below the alias itself. */
static bool visit_older(const struct forest *f, uint32_t alias,
	mp_forest_visitor *visit, void *context)
{
	uint32_t above = f->above[alias];
	struct tour tour = {f, &f->graph->ties.aliases[alias],
		bytes_of(f, alias), 0, 0, visit, context};

	return visit_places(&tour, f->place[above], f->place[alias]) &&
	       visit_places(&tour, f->beyond[alias], f->beyond[above]);
}

bool mp_graph_tree_visit(
	const struct forest *f, mp_forest_visitor *visit, void *context)
{
	for (uint32_t i = 0; i < f->n_aliases; i++)
		if (f->graph->ties.aliases[i].writes &&
			!visit_older(f, i, visit, context))
			return false;
	return true;
}
