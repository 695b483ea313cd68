/*
 * Alias trees in preorder, and a segment tree of byte ranges over them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/inside.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"

/* ------------------------------------------------------------ trees */

static uint32_t add_root(struct alias_tree *f, uint32_t tensor)
{
	if (f->node_of[tensor] == NONE) {
		f->node_of[tensor] = f->n_nodes;
		f->tensor[f->n_nodes] = tensor;
		f->parent[f->n_nodes++] = NONE;
	}
	return f->node_of[tensor];
}

static void add_nodes(struct alias_tree *f)
{
	const struct tensor_alias *aliases = f->graph->ties.aliases;

	for (uint32_t i = 0; i < f->n_aliases; i++) {
		f->tensor[i] = aliases[i].tensor;
		f->node_of[aliases[i].tensor] = i;
	}
	f->n_nodes = f->n_aliases;
	assert(f->n_aliases < NONE / 2);
	for (uint32_t i = 0; i < f->n_aliases; i++)
		f->parent[i] = add_root(f, aliases[i].of);
}

/* Children are linked lists, so the walk needs no stack. */
static void number_tree(struct alias_tree *f, uint32_t root,
	const uint32_t *child, const uint32_t *sibling, uint32_t *n)
{
	uint32_t at = root;

	for (;;) {
		f->place[at] = *n;
		f->preorder[(*n)++] = at;
		if (child[at] != NONE) {
			at = child[at];
			continue;
		}
		f->end[at] = *n;
		while (at != root && sibling[at] == NONE) {
			at = f->parent[at];
			f->end[at] = *n;
		}
		if (at == root)
			return;
		at = sibling[at];
	}
}

/* Linked lists of children; sorted has the aliases by their first byte. */
static void link_siblings(const struct alias_tree *f, const uint32_t *sorted,
	uint32_t *child, uint32_t *sibling)
{
	for (uint32_t i = 0; i < f->n_nodes; i++)
		child[i] = sibling[i] = NONE;
	for (uint32_t i = f->n_aliases; i-- > 0;) {
		uint32_t parent = f->parent[sorted[i]];

		sibling[sorted[i]] = child[parent];
		child[parent] = sorted[i];
	}
}

static bool number_nodes(struct alias_tree *f, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *child = NEW(arena, uint32_t, f->n_nodes);
	uint32_t *sibling = NEW(arena, uint32_t, f->n_nodes), n = 0;
	uint32_t *sorted = NEW(arena, uint32_t, f->n_aliases);
	uint64_t *base = NEW(arena, uint64_t, f->n_aliases);

	if (!child || !sibling || !sorted || !base)
		return false;
	for (uint32_t i = 0; i < f->n_aliases; i++) {
		sorted[i] = i;
		base[i] = f->graph->ties.aliases[i].base;
	}
	mp_sort_radix(sorted, sibling, f->n_aliases, base);
	link_siblings(f, sorted, child, sibling);
	for (uint32_t i = f->n_aliases; i < f->n_nodes; i++)
		number_tree(f, i, child, sibling, &n);
	assert(n == f->n_nodes);
	mp_arena_rewind(arena, mark);
	return true;
}

static void find_writers(struct alias_tree *f)
{
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		uint32_t node = f->preorder[i], parent = f->parent[node];

		f->writer[node] = parent;
		if (parent < f->n_aliases &&
			!f->graph->ties.aliases[parent].writes)
			f->writer[node] = f->writer[parent];
	}
}

/* ------------------------------------------------------------ bytes */

static struct byte_hull bytes_of(const struct alias_tree *f, uint32_t node)
{
	uint64_t base = 0, size = f->graph->tensors[f->tensor[node]].size;

	if (node < f->n_aliases)
		base = f->graph->ties.aliases[node].base;
	return (struct byte_hull){base, base + size};
}

static void build_hulls(struct alias_tree *f)
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

bool mp_graph_alias_tree_init(
	struct alias_tree *f, const struct graph *graph, struct arena *arena)
{
	uint32_t n = graph->ties.n_aliases, most = 2 * n;

	*f = (struct alias_tree){.graph = graph, .n_aliases = n, .n_leaves = 1};
	f->node_of = NEW(arena, uint32_t, graph->n_tensors);
	f->tensor = NEW(arena, uint32_t, most);
	f->parent = NEW(arena, uint32_t, most);
	f->writer = NEW(arena, uint32_t, most);
	f->preorder = NEW(arena, uint32_t, most);
	f->place = NEW(arena, uint32_t, most);
	f->end = NEW(arena, uint32_t, most);
	if (!f->node_of || !f->tensor || !f->parent || !f->writer ||
		!f->preorder || !f->place || !f->end)
		return false;
	memset(f->node_of, 0xff, sizeof(*f->node_of) * graph->n_tensors);
	add_nodes(f);
	while (f->n_leaves < f->n_nodes)
		f->n_leaves *= 2;
	f->hulls = NEW(arena, struct byte_hull, 2 * (size_t)f->n_leaves);
	if (!f->hulls || !number_nodes(f, arena))
		return false;
	find_writers(f);
	build_hulls(f);
	return true;
}

/* ----------------------------------------------------------- visits */

struct tour {
	const struct alias_tree *tree;
	const struct tensor_alias *writer;
	struct byte_hull bytes; /* that the writer overwrites */
	uint32_t from, to;	/* places */
	alias_tree_visitor *visit;
	void *context;
};

static bool visit_node(const struct tour *tour, uint32_t node)
{
	const struct alias_tree *f = tour->tree;
	uint32_t older = f->tensor[node];
	const struct tensor *tensor = &f->graph->tensors[older];
	struct ids readers = mp_graph_readers(f->graph, tensor);
	uint32_t op = f->graph->tensors[tour->writer->tensor].producer;

	if (!tour->visit(tour->context, tour->writer, older, NONE) ||
		(tensor->producer != NONE && tensor->producer != op &&
			!tour->visit(tour->context, tour->writer, older,
				tensor->producer)))
		return false;
	for (uint32_t i = 0; i < readers.n; i++)
		if ((readers.at[i] != op || f->graph->loop_of) &&
			!tour->visit(tour->context, tour->writer, older,
				readers.at[i]))
			return false;
	return true;
}

/* Visits the nodes at places [low, low + width), which the hull covers, that
 * share bytes with the writer. The depth is the logarithm of the nodes. */
static bool visit_hull(
	const struct tour *tour, uint32_t hull, uint32_t low, uint32_t width)
{
	const struct byte_hull *bytes = &tour->tree->hulls[hull];

	assert(hull < 2 * tour->tree->n_leaves && width > 0);
	if (low + width <= tour->from || tour->to <= low ||
		bytes->high <= tour->bytes.low ||
		tour->bytes.high <= bytes->low)
		return true;
	if (width == 1)
		return visit_node(tour, tour->tree->preorder[low]);
	width /= 2;
	return visit_hull(tour, 2 * hull, low, width) &&
	       visit_hull(tour, 2 * hull + 1, low + width, width);
}

static bool visit_places(struct tour *tour, uint32_t from, uint32_t to)
{
	assert(from <= to && to <= tour->tree->n_nodes);
	tour->from = from;
	tour->to = to;
	return visit_hull(tour, 1, 0, tour->tree->n_leaves);
}

/* The subtree of the nearest ancestor that writes, without the alias's own. */
static bool visit_older(const struct alias_tree *f, uint32_t alias,
	alias_tree_visitor *visit, void *context)
{
	uint32_t above = f->writer[alias];
	struct tour tour = {f, &f->graph->ties.aliases[alias],
		bytes_of(f, alias), 0, 0, visit, context};

	return visit_places(&tour, f->place[above], f->place[alias]) &&
	       visit_places(&tour, f->end[alias], f->end[above]);
}

bool mp_graph_alias_tree_visit(
	const struct alias_tree *f, alias_tree_visitor *visit, void *context)
{
	for (uint32_t i = 0; i < f->n_aliases; i++)
		if (f->graph->ties.aliases[i].writes &&
			!visit_older(f, i, visit, context))
			return false;
	return true;
}
