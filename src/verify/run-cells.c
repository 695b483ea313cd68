/*
 * Bytes that are the same to all tensors are one cell. Cells are the leaves of
 * a segment tree, so that a use takes the logarithm of their number.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/run.h"

#include <assert.h>
#include <stdlib.h>

#include "base/sort.h"

bool mp_verify_run_complain(
	const struct run_check *r, const char *what, uint32_t t, uint32_t other)
{
	const struct graph *g = r->graph;

	return mp_fail(r->error, MEMPLAN_NO,
		"%s: the run of the graph: tensor '%.80s' %s '%.80s'", g->name,
		mp_graph_tensor_label(&g->tensors[t]), what,
		other < g->n_tensors ? mp_graph_tensor_label(&g->tensors[other])
				     : "nothing");
}

/* ------------------------------------------------------------ cells */

bool mp_verify_run_takes_bytes(const struct tensor *t)
{
	return !t->external && t->size > 0 && t->placed;
}

uint32_t mp_verify_run_pool(const struct graph *g, const struct tensor *t)
{
	assert(mp_verify_run_takes_bytes(t)); /* others may have no pool */
	return g->n_pools ? g->pool_lists[t->pools].at[0] : 0;
}

static int by_place(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	return mp_sort_compare_two(a->pool, b->pool, a->at, b->at);
}

uint32_t mp_verify_run_edge(const struct run_check *r, struct edge edge)
{
	uint32_t low = 0, high = r->n_edges;

	while (low < high) {
		uint32_t i = low + (high - low) / 2;

		if (by_place(&r->edges[i], &edge) < 0)
			low = i + 1;
		else
			high = i;
	}
	assert(low < r->n_edges && by_place(&r->edges[low], &edge) == 0);
	return low;
}

/* Guards are free while the first and the last member of a group live that take
 * bytes. */
static bool find_guards(
	const struct run_check *r, uint64_t *before, uint64_t *after)
{
	const struct graph *g = r->graph;

	for (uint32_t i = 0; i < g->ties.n_groups; i++) {
		const struct tensor_group *group = &g->ties.groups[i];
		uint32_t first = NONE, last = NONE;

		for (uint32_t k = 0; k < group->members.n; k++) {
			if (!mp_verify_run_takes_bytes(
				    &g->tensors[group->members.at[k]]))
				continue;
			last = group->members.at[k];
			first = first == NONE ? last : first;
		}
		if (first == NONE)
			continue;
		before[first] = group->before;
		after[last] = group->after;
		if (g->tensors[first].offset < group->before)
			return mp_verify_run_complain(r,
				"has no room for the guard of", first, first);
	}
	return true;
}

/* The places of a tensor with bytes, ascending: its guard, itself, its end, the
 * end of its guard. */
struct places {
	struct edge at[4];
};

static struct places places_of(const struct run_check *r, uint32_t t,
	const uint64_t *before, const uint64_t *after)
{
	const struct tensor *tensor = &r->graph->tensors[t];
	uint32_t pool = mp_verify_run_pool(r->graph, tensor);
	uint64_t end = tensor->offset + tensor->size;

	return (struct places){{{tensor->offset - before[t], pool},
		{tensor->offset, pool}, {end, pool}, {end + after[t], pool}}};
}

static uint32_t list_gaps(const struct run_check *r, struct edge *edges)
{
	const struct ties *ties = &r->graph->ties;
	uint32_t n = 0;

	for (uint32_t i = 0; i < ties->n_gaps; i++) {
		const struct lifetime_gap *gap = &ties->gaps[i];
		const struct tensor *tensor = &r->graph->tensors[gap->tensor];
		uint32_t pool;

		if (!mp_verify_run_takes_bytes(tensor))
			continue;
		pool = mp_verify_run_pool(r->graph, tensor);
		edges[n++] = (struct edge){tensor->offset + gap->low, pool};
		edges[n++] = (struct edge){tensor->offset + gap->high, pool};
	}
	return n;
}

/* Sorts n edges, and leaves one of each. */
static void keep_edges(struct run_check *r, uint32_t n)
{
	qsort(r->edges, n, sizeof(*r->edges), by_place);
	for (uint32_t i = 0; i < n; i++)
		if (r->n_edges == 0 ||
			by_place(&r->edges[r->n_edges - 1], &r->edges[i]) != 0)
			r->edges[r->n_edges++] = r->edges[i];
}

static bool cut_cells(
	struct run_check *r, const uint64_t *before, const uint64_t *after)
{
	const struct graph *g = r->graph;
	uint32_t n = 0;

	r->edges = NEW(r->scratch, struct edge,
		(size_t)g->n_tensors * 4 + (size_t)g->ties.n_gaps * 2);
	if (!r->edges)
		return false;
	for (uint32_t t = 0; t < g->n_tensors; t++) {
		struct places places;

		if (!mp_verify_run_takes_bytes(&g->tensors[t]))
			continue;
		places = places_of(r, t, before, after);
		for (uint32_t k = 0; k < 4; k++)
			r->edges[n++] = places.at[k];
	}
	keep_edges(r, n + list_gaps(r, r->edges + n));
	return true;
}

static void find_cells(struct run_check *r, uint32_t t, const uint64_t *before,
	const uint64_t *after)
{
	struct places places = places_of(r, t, before, after);

	r->low[t] = mp_verify_run_edge(r, places.at[0]);
	r->inner_low[t] = mp_verify_run_edge(r, places.at[1]);
	r->inner_high[t] = mp_verify_run_edge(r, places.at[2]);
	r->high[t] = mp_verify_run_edge(r, places.at[3]);
}

bool mp_verify_run_cells(struct run_check *r)
{
	uint32_t n = r->graph->n_tensors;
	uint64_t *before = NEW(r->scratch, uint64_t, n);
	uint64_t *after = NEW(r->scratch, uint64_t, n);

	if (!before || !after || !find_guards(r, before, after) ||
		!cut_cells(r, before, after))
		return false;
	for (uint32_t t = 0; t < n; t++)
		if (mp_verify_run_takes_bytes(&r->graph->tensors[t]))
			find_cells(r, t, before, after);
	return true;
}

/* ---------------------------------------------------------- content */

static void push_down(struct run_check *r, uint32_t node)
{
	if (r->content[node] == MIXED)
		return;
	r->content[2 * node] = r->content[node];
	r->content[2 * node + 1] = r->content[node];
}

/* The cells get the content of a tensor. As deep as the tree, which has 2^32
 * cells at most. */
static void write_node(struct run_check *r, struct cell_node node,
	struct cells cells, uint32_t tensor)
{
	uint32_t i = node.index;

	if (mp_verify_run_misses(node, cells))
		return;
	if (mp_verify_run_is_within(node, cells)) {
		r->content[i] = tensor;
		return;
	}
	push_down(r, i);
	write_node(r, mp_verify_run_left(node), cells, tensor);
	write_node(r, mp_verify_run_right(node), cells, tensor);
	r->content[i] = r->content[2 * i] == r->content[2 * i + 1]
				? r->content[2 * i]
				: MIXED;
}

/* Did the op itself overwrite the tensor, as it may? It writes an alias of the
 * same tensor, or the output of an in-place pair. */
static bool is_own(const struct run_check *r, uint32_t op, uint32_t tensor,
	uint32_t content)
{
	const struct graph *g = r->graph;
	const struct tensor_alias *written, *alias;
	uint32_t root = tensor;

	if (op == NONE || g->tensors[content].producer != op)
		return false;
	written = mp_graph_ties_alias(&g->ties, content);
	alias = mp_graph_ties_alias(&g->ties, tensor);
	root = alias ? alias->root : tensor;
	if (written && written->writes && written->root == root)
		return true;
	for (uint32_t i = 0; i < g->ops[op].n_inplace; i++)
		if (g->ops[op].inplace[i].output == content &&
			g->ops[op].inplace[i].input == tensor &&
			r->inner_low[content] == r->inner_low[tensor])
			return true;
	return false;
}

/* A tensor that may not be there in the cells, where the op needs `tensor`;
 * NONE: all is as it must be. */
static uint32_t find_other(const struct run_check *r, struct cell_node node,
	struct cells cells, uint32_t op, uint32_t tensor)
{
	uint32_t content = r->content[node.index], found;

	if (mp_verify_run_misses(node, cells))
		return NONE;
	if (content == r->writer[tensor])
		return NONE;
	if (content != MIXED)
		return content < r->graph->n_tensors &&
				       is_own(r, op, tensor, content)
			       ? NONE
			       : content;
	found = find_other(r, mp_verify_run_left(node), cells, op, tensor);
	return found != NONE ? found
			     : find_other(r, mp_verify_run_right(node), cells,
				       op, tensor);
}

void mp_verify_run_write(
	struct run_check *r, uint32_t t, uint32_t low, uint32_t high)
{
	write_node(r, mp_verify_run_root(r), (struct cells){low, high}, t);
}

uint32_t mp_verify_run_other(const struct run_check *r, uint32_t low,
	uint32_t high, uint32_t op, uint32_t tensor)
{
	if (low == high)
		return NONE;
	return find_other(r, mp_verify_run_root(r), (struct cells){low, high},
		op, tensor);
}
