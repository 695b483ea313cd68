/*
 * What added ops and tensors are called after: each tensor by a tag that no
 * other has, though several tensors may have one name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "budget/inside.h"

#include <string.h>

static const char *label_of(const struct graph *graph, uint32_t t)
{
	return mp_graph_tensor_label(&graph->tensors[t]);
}

/* A name or an id that two tensors have is the tag of neither, unless it is the
 * id of one that has no name. */
static void add(struct tags *tags, const struct graph *graph, const char *text,
	uint32_t t)
{
	uint32_t other = mp_names_add(&tags->taken, text, t);

	if (other == NONE || other == t)
		return;
	if (strcmp(text, label_of(graph, t)) == 0)
		tags->of[t] = NULL;
	if (strcmp(text, label_of(graph, other)) == 0)
		tags->of[other] = NULL;
}

bool mp_budget_tags_init(struct tags *tags, const struct graph *graph,
	uint32_t room, struct arena *arena)
{
	uint32_t n = graph->n_tensors;

	*tags = (struct tags){.of = NEW(arena, const char *, n)};
	if (!tags->of || !mp_names_init(&tags->taken, 2 * n + room, arena) ||
		!mp_names_init(&tags->ops, graph->n_ops, arena))
		return false;
	for (uint32_t i = 0; i < graph->n_ops; i++)
		mp_names_add(&tags->ops, graph->ops[i].name, i);
	for (uint32_t t = 0; t < n; t++)
		tags->of[t] = label_of(graph, t);
	for (uint32_t t = 0; t < n; t++) {
		add(tags, graph, label_of(graph, t), t);
		if (graph->tensors[t].id)
			add(tags, graph, graph->tensors[t].id, t);
	}
	for (uint32_t t = 0; t < n; t++)
		if (!tags->of[t])
			tags->of[t] = graph->tensors[t].id
					      ? graph->tensors[t].id
					      : label_of(graph, t);
	return true;
}

const char *mp_budget_tags_name(struct tags *tags, uint32_t tensor,
	const char *what, uint32_t *count, struct arena *arena)
{
	const char *name;

	do {
		name = *count == 0 ? mp_arena_print(arena, "%s@%s",
					     tags->of[tensor], what)
				   : mp_arena_print(arena, "%s@%s%u",
					     tags->of[tensor], what, *count);
		++*count;
	} while (name && mp_names_find(&tags->taken, name) != NONE);
	if (name)
		mp_names_add(&tags->taken, name, tensor);
	return name;
}

const char *mp_budget_tags_copy_out(
	const struct tags *tags, uint32_t tensor, struct arena *arena)
{
	const char *name =
		mp_arena_print(arena, "swap-out %s", tags->of[tensor]);

	while (name && mp_names_find(&tags->ops, name) != NONE)
		name = mp_arena_print(arena, "%s@", name);
	return name;
}
