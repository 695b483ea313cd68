/*
 * Aliases are folded into their roots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

struct use {
	uint32_t root, op;
};

struct uses {
	struct use *at;
	uint32_t n;
};

static int by_root(const void *left, const void *right)
{
	const struct use *a = left, *b = right;

	return mp_sort_compare_two(a->root, b->root, a->op, b->op);
}

static void add_use(struct uses *uses, uint32_t root, uint32_t op)
{
	assert(op != NONE);
	uses->at[uses->n++] = (struct use){root, op};
}

static bool collect_uses(
	const struct graph *graph, struct uses *uses, struct arena *arena)
{
	size_t room = 0;

	/* Each tensor adds its readers and its producer at most. */
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		room += (size_t)graph->tensors[t].readers.n + 1;
	uses->at = NEW(arena, struct use, room);
	if (!uses->at)
		return false;
	for (uint32_t i = 0; i < graph->ties.n_aliases; i++) {
		const struct tensor_alias *alias = &graph->ties.aliases[i];
		const struct tensor *tensor = &graph->tensors[alias->tensor];

		if (tensor->producer != NONE)
			add_use(uses, alias->root, tensor->producer);
		for (uint32_t k = 0; k < tensor->readers.n; k++)
			add_use(uses, alias->root, tensor->readers.at[k]);
	}
	return true;
}

/* The root's own readers once, however many aliases it has. */
static void collect_roots(struct graph *folded, struct uses *uses, bool *done)
{
	for (uint32_t i = 0; i < folded->ties.n_aliases; i++) {
		uint32_t root = folded->ties.aliases[i].root;
		const struct ids *readers = &folded->tensors[root].readers;

		for (uint32_t k = 0; !done[root] && k < readers->n; k++)
			add_use(uses, root, readers->at[k]);
		done[root] = true;
	}
}

static bool set_readers(
	struct graph *folded, const struct uses *uses, struct arena *arena)
{
	uint32_t *ops = NEW(arena, uint32_t, uses->n), n = 0;

	if (!ops)
		return false;
	for (uint32_t i = 0; i < uses->n; i++) {
		const struct use *at = &uses->at[i];
		struct ids *readers = &folded->tensors[at->root].readers;

		if (i == 0 || at[-1].root != at->root)
			*readers = (struct ids){ops + n, 0};
		else if (at[-1].op == at->op)
			continue;
		/* The producer of the root is no reader of it. */
		if (at->op == folded->tensors[at->root].producer)
			continue;
		ops[n++] = at->op;
		readers->n++;
	}
	return true;
}

static void settle_roots(struct graph *folded, bool *tied)
{
	const struct ties *ties = &folded->ties;

	for (uint32_t i = 0; i < ties->n_aliases; i++) {
		struct tensor *tensor =
			&folded->tensors[ties->aliases[i].tensor];
		struct tensor *root = &folded->tensors[ties->aliases[i].root];

		root->to_end |= mp_graph_tensor_to_end(tensor);
		root->from_start |= mp_graph_tensor_from_start(tensor);
		tensor->external = true;
		tied[ties->aliases[i].tensor] = true;
		tied[ties->aliases[i].root] = true;
	}
	for (uint32_t i = 0; i < ties->n_groups; i++)
		for (uint32_t k = 0; k < ties->groups[i].members.n; k++)
			tied[ties->groups[i].members.at[k]] = true;
	for (uint32_t i = 0; i < ties->n_apart; i++) {
		tied[ties->apart[i].a] = true;
		tied[ties->apart[i].b] = true;
	}
}

static bool fold_aliases(struct graph *folded, bool *done, struct arena *arena)
{
	struct uses uses = {0};

	if (folded->ties.n_aliases == 0)
		return true;
	if (!collect_uses(folded, &uses, arena))
		return false;
	collect_roots(folded, &uses, done);
	qsort(uses.at, uses.n, sizeof(*uses.at), by_root);
	return set_readers(folded, &uses, arena);
}

bool mp_order_fold_is_exact(const struct graph *graph)
{
	return graph->ties.n_aliases == 0 && graph->ties.n_gaps == 0 &&
	       graph->ties.n_branches == 0;
}

const struct graph *mp_order_fold(
	const struct graph *graph, bool **tied, struct arena *arena)
{
	struct graph *folded;
	bool *done;

	*tied = NULL;
	if (graph->ties.n_aliases == 0 && graph->ties.n_groups == 0 &&
		graph->ties.n_apart == 0)
		return graph;
	folded = NEW(arena, struct graph, 1);
	*tied = NEW(arena, bool, graph->n_tensors);
	done = NEW(arena, bool, graph->n_tensors);
	if (!folded || !*tied || !done)
		return NULL;
	*folded = *graph;
	folded->tensors = NEW(arena, struct tensor, graph->n_tensors);
	if (!folded->tensors)
		return NULL;
	memcpy(folded->tensors, graph->tensors,
		sizeof(*graph->tensors) * graph->n_tensors);
	if (!fold_aliases(folded, done, arena))
		return NULL;
	settle_roots(folded, *tied);
	return folded;
}
