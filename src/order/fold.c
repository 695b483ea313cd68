/*
 * Aliases are folded into their roots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/inside.h"

#include <string.h>

#include "base/lists.h"
#include "base/sort.h"

/* The producer of an alias uses the root too. NONE: it has none, or is a root.
 */
static uint32_t writer_of(
	const struct graph *graph, const uint32_t *root, uint32_t t)
{
	return root[t] == t ? NONE : graph->tensors[t].producer;
}

/* Lists the ops that use each root, itself or by an alias: those of a tensor
 * that is neither are left out. */
static bool list_users(const struct graph *graph, const uint32_t *root,
	struct lists *users, struct arena *arena)
{
	uint32_t n = graph->n_tensors;
	struct ids readers;

	if (!mp_lists_init(users, n, arena))
		return false;
	for (uint32_t t = 0; t < n; t++)
		if (root[t] != NONE)
			mp_lists_count(users, root[t],
				graph->tensors[t].readers.n +
					(writer_of(graph, root, t) != NONE));
	if (!mp_lists_ready(users, n, arena))
		return false;
	for (uint32_t t = 0; t < n; t++) {
		if (root[t] == NONE)
			continue;
		readers = graph->tensors[t].readers;
		for (uint32_t i = 0; i < readers.n; i++)
			mp_lists_add(users, root[t], readers.at[i]);
		if (writer_of(graph, root, t) != NONE)
			mp_lists_add(users, root[t], writer_of(graph, root, t));
	}
	return true;
}

/* Each user once, but for the producer of the root, which is no reader of it.
 */
static void set_readers(
	struct tensor *tensor, const struct lists *users, uint32_t root)
{
	uint32_t *ops = users->links + users->first[root], n = 0;
	uint32_t n_users = mp_sort_unique_u32(ops, mp_lists_at(users, root).n);

	for (uint32_t i = 0; i < n_users; i++)
		if (ops[i] != tensor->producer)
			ops[n++] = ops[i];
	tensor->readers = (struct ids){ops, n};
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

static bool fold_aliases(struct graph *folded, struct arena *arena)
{
	const struct ties *ties = &folded->ties;
	uint32_t *root = NEW(arena, uint32_t, folded->n_tensors);
	struct lists users;

	if (!root)
		return false;
	for (uint32_t t = 0; t < folded->n_tensors; t++)
		root[t] = NONE;
	for (uint32_t i = 0; i < ties->n_aliases; i++) {
		root[ties->aliases[i].tensor] = ties->aliases[i].root;
		root[ties->aliases[i].root] = ties->aliases[i].root;
	}
	if (!list_users(folded, root, &users, arena))
		return false;
	for (uint32_t t = 0; t < folded->n_tensors; t++)
		if (root[t] == t)
			set_readers(&folded->tensors[t], &users, t);
	return true;
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

	*tied = NULL;
	if (graph->ties.n_aliases == 0 && graph->ties.n_groups == 0 &&
		graph->ties.n_apart == 0)
		return graph;
	folded = NEW(arena, struct graph, 1);
	*tied = NEW(arena, bool, graph->n_tensors);
	if (!folded || !*tied)
		return NULL;
	*folded = *graph;
	folded->tensors = NEW(arena, struct tensor, graph->n_tensors);
	if (!folded->tensors)
		return NULL;
	memcpy(folded->tensors, graph->tensors,
		sizeof(*graph->tensors) * graph->n_tensors);
	if (graph->ties.n_aliases > 0 && !fold_aliases(folded, arena))
		return NULL;
	settle_roots(folded, *tied);
	return folded;
}
