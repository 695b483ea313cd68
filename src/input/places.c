/*
 * Views of a plan without views, by their places.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/places.h"

#include <stdlib.h>

#include "base/sort.h"

/* By place, then by the step from which on they live. */
static int by_place(const void *left, const void *right)
{
	const struct tensor *a = *(struct tensor *const *)left;
	const struct tensor *b = *(struct tensor *const *)right;

	if (a->pools != b->pools || a->offset != b->offset)
		return mp_sort_compare_two(
			a->pools, b->pools, a->offset, b->offset);
	return mp_sort_compare_two(
		a->start, b->start, (uintptr_t)a, (uintptr_t)b);
}

/* The tensors from one to another lie at one place, each alive with one before
 * it. */
static void alias_to_largest(struct graph *graph, struct tensor *const *from,
	struct tensor *const *to, struct tensor_alias *of)
{
	struct tensor *root = *from;

	for (struct tensor *const *at = from; at < to; at++)
		if ((*at)->size > root->size)
			root = *at;
	for (struct tensor *const *at = from; at < to; at++) {
		uint32_t i = (uint32_t)(*at - graph->tensors);
		uint32_t whole = (uint32_t)(root - graph->tensors);

		if (*at == root)
			continue;
		(*at)->placed = false;
		of[i] = (struct tensor_alias){
			.tensor = i, .of = whole, .root = whole};
	}
}

static bool list_aliases(struct graph *graph, const struct tensor_alias *of,
	struct arena *arena, struct error *e)
{
	struct ties *ties = &graph->ties;
	struct tensor_alias *aliases =
		NEW(arena, struct tensor_alias, graph->n_tensors);

	if (!aliases)
		return false;
	for (uint32_t i = 0; i < graph->n_tensors; i++)
		if (!graph->tensors[i].placed)
			aliases[ties->n_aliases++] = of[i];
	ties->aliases = aliases;
	if (ties->n_aliases > 0)
		mp_warn(e,
			"%s: %u tensor%s the place of another one that is "
			"alive too, and taken for bytes of it",
			graph->place, ties->n_aliases,
			ties->n_aliases == 1 ? " has" : "s have");
	return true;
}

bool mp_input_places_alias(
	struct graph *graph, struct arena *arena, struct error *e)
{
	uint32_t n = graph->n_tensors, first = 0, end = 0;
	struct tensor **order = NEW(arena, struct tensor *, n);
	struct tensor_alias *of = NEW(arena, struct tensor_alias, n);

	if (!order || !of)
		return false;
	for (uint32_t i = 0; i < n; i++)
		order[i] = &graph->tensors[i];
	if (n > 0)
		qsort(order, n, sizeof(struct tensor *), by_place);
	for (uint32_t i = 0; i < n; i++) {
		const struct tensor *tensor = order[i], *one = order[first];

		if (tensor->pools != one->pools ||
			tensor->offset != one->offset || tensor->start >= end) {
			alias_to_largest(graph, order + first, order + i, of);
			first = i;
			end = 0;
		}
		end = tensor->end > end ? tensor->end : end;
	}
	alias_to_largest(graph, order + first, order + n, of);
	return list_aliases(graph, of, arena, e);
}

bool mp_input_places_keep_order(struct graph *graph, struct arena *arena)
{
	uint32_t *ops = NEW(arena, uint32_t, graph->n_ops);
	struct ids *keep = NEW(arena, struct ids, 1);

	if (!ops || !keep)
		return false;
	for (uint32_t i = 0; i < graph->n_ops; i++)
		ops[i] = i;
	*keep = (struct ids){ops, graph->n_ops};
	graph->constraints.keep = keep;
	graph->constraints.n_keep = 1;
	return true;
}
