/*
 * Old tensors of equal names wait in a row; the new ones take them in turn.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/tensor-match.h"

#include "base/names.h"

struct waiting {
	struct names names;
	uint32_t *first; /* by the index that the map gave */
	uint32_t *next;
};

/* "op/k", a temporary's place in its op; else the label. */
static const char *key_of(
	const struct graph *graph, uint32_t i, const char *const *temporaries)
{
	return temporaries[i] ? temporaries[i]
			      : mp_graph_tensor_label(&graph->tensors[i]);
}

static const char *const *name_temporaries(
	const struct graph *graph, struct arena *arena)
{
	const char **names = NEW(arena, const char *, graph->n_tensors);

	for (uint32_t o = 0; names && o < graph->n_ops; o++) {
		const struct op *op = &graph->ops[o];

		for (uint32_t k = 0; op->name[0] && k < op->temporaries.n; k++)
			names[op->temporaries.at[k]] = mp_arena_print(
				arena, "%s/temporary %u", op->name, k);
	}
	return names;
}

static void wait_for(struct waiting *w, const char *key, uint32_t tensor)
{
	uint32_t at = mp_names_add(&w->names, key, tensor);

	w->next[tensor] = at == NONE ? NONE : w->first[at];
	w->first[at == NONE ? tensor : at] = tensor;
}

static uint32_t take_waiting(struct waiting *w, const char *key)
{
	uint32_t first = mp_names_find(&w->names, key), tensor;

	if (first == NONE || w->first[first] == NONE)
		return NONE;
	tensor = w->first[first];
	w->first[first] = w->next[tensor];
	return tensor;
}

bool mp_problem_match_tensors(const struct graph *old, const struct graph *new,
	uint32_t *was, struct arena *scratch)
{
	const char *const *olds = name_temporaries(old, scratch);
	const char *const *news = name_temporaries(new, scratch);
	struct waiting w = {.first = NEW(scratch, uint32_t, old->n_tensors),
		.next = NEW(scratch, uint32_t, old->n_tensors)};

	if (!mp_names_init(&w.names, old->n_tensors, scratch) ||
		scratch->error->code != MEMPLAN_OK)
		return false;
	for (uint32_t i = old->n_tensors; i-- > 0;)
		wait_for(&w, key_of(old, i, olds), i);
	for (uint32_t i = 0; i < new->n_tensors; i++)
		was[i] = take_waiting(&w, key_of(new, i, news));
	return true;
}
