/*
 * Aliases are folded into their roots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/inside.h"

#include "base/lists.h"
#include "base/sort.h"

/* The readers of a root become the ops that use it, itself or by an alias, each
 * once. The producer of an alias is such an op; that of the root is none. */
static bool set_readers(const struct graph *folded, uint32_t root,
	struct ids family, struct arena *arena)
{
	const struct tensor *tensors = folded->tensors;
	struct ids readers;
	uint32_t *ops, n = 0, n_users, kept = 0;

	for (uint32_t i = 0; i < family.n; i++)
		n += folded->readers[family.at[i]].n + 1;
	ops = NEW(arena, uint32_t, n);
	if (!ops)
		return false;
	n = 0;
	for (uint32_t i = 0; i < family.n; i++) {
		readers = folded->readers[family.at[i]];
		for (uint32_t k = 0; k < readers.n; k++)
			ops[n++] = readers.at[k];
		ops[n++] = tensors[family.at[i]].producer;
	}
	n_users = mp_sort_unique_u32(ops, n);
	for (uint32_t i = 0; i < n_users; i++)
		if (ops[i] != NONE && ops[i] != tensors[root].producer)
			ops[kept++] = ops[i];
	folded->readers[root] = (struct ids){ops, kept};
	return true;
}

static void settle_roots(struct graph *folded)
{
	const struct ties *ties = &folded->ties;

	for (uint32_t i = 0; i < ties->n_aliases; i++) {
		struct tensor *tensor =
			&folded->tensors[ties->aliases[i].tensor];
		struct tensor *root = &folded->tensors[ties->aliases[i].root];

		root->to_end |= mp_graph_tensor_to_end(tensor);
		root->from_start |= mp_graph_tensor_from_start(tensor);
		tensor->external = true;
	}
}

static bool fold_aliases(struct graph *folded, struct arena *arena)
{
	const struct ties *ties = &folded->ties;
	uint32_t *root = NEW(arena, uint32_t, folded->n_tensors);
	struct lists families; /* of a root: itself and its aliases */
	struct ids family;

	if (!root)
		return false;
	for (uint32_t t = 0; t < folded->n_tensors; t++)
		root[t] = t;
	for (uint32_t i = 0; i < ties->n_aliases; i++)
		root[ties->aliases[i].tensor] = ties->aliases[i].root;
	if (!mp_lists_group(&families, folded->n_tensors, root, sizeof(*root),
		    folded->n_tensors, arena))
		return false;
	for (uint32_t t = 0; t < folded->n_tensors; t++) {
		family = mp_lists_at(&families, t);
		if (family.n > 1 && !set_readers(folded, t, family, arena))
			return false;
	}
	return true;
}

bool mp_order_fold_is_exact(const struct graph *graph)
{
	return graph->ties.n_aliases == 0 && graph->ties.n_gaps == 0 &&
	       graph->ties.n_branches == 0;
}

const struct graph *mp_order_fold(
	const struct graph *graph, struct arena *arena)
{
	struct graph *folded;

	if (graph->ties.n_aliases == 0)
		return graph;
	folded = NEW(arena, struct graph, 1);
	if (!folded)
		return NULL;
	*folded = *graph;
	folded->tensors = mp_arena_copy(arena, graph->tensors, graph->n_tensors,
		sizeof(*graph->tensors));
	folded->readers = NEW(arena, struct ids, graph->n_tensors);
	if (!folded->tensors || !folded->readers)
		return NULL;
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		folded->readers[t] =
			mp_graph_readers(graph, &graph->tensors[t]);
	if (!fold_aliases(folded, arena))
		return NULL;
	settle_roots(folded);
	return folded;
}
