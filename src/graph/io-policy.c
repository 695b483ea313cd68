/*
 * Policies for inputs and outputs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/graph.h"

#include <assert.h>
#include <string.h>

static const char *const names[N_POLICIES] = {
	[POLICY_INSIDE] = "inside",
	[POLICY_EXTERNAL] = "external",
	[POLICY_THROUGHOUT] = "throughout",
};

const char *mp_graph_policy_name(enum policy policy)
{
	assert(policy < N_POLICIES);
	return names[policy];
}

const char *mp_graph_policy_said(enum policy policy)
{
	return policy == POLICY_INSIDE ? NULL : names[policy];
}

enum policy mp_graph_policy_find(const char *name)
{
	uint32_t i = 0;

	while (i < N_POLICIES && strcmp(names[i], name) != 0)
		i++;
	return (enum policy)i;
}

static enum policy policy_of(
	const struct graph *graph, const struct tensor *tensor)
{
	if (tensor->pinned || tensor->external)
		return POLICY_INSIDE;
	if (tensor->kind == KIND_INPUT)
		return graph->inputs;
	return tensor->kind == KIND_OUTPUT ? graph->outputs : POLICY_INSIDE;
}

/* Marks aliases and members of groups: their offsets depend on other tensors.
 */
static void mark_bound(const struct ties *ties, bool *bound)
{
	for (uint32_t i = 0; i < ties->n_aliases; i++)
		bound[ties->aliases[i].tensor] = true;
	mp_graph_ties_mark_groups(ties, bound);
}

static void apply_policy(
	struct graph *graph, struct tensor *tensor, bool bound, struct error *e)
{
	enum policy policy = policy_of(graph, tensor);

	if (policy == POLICY_THROUGHOUT)
		tensor->from_start = tensor->to_end = true;
	if (policy != POLICY_EXTERNAL)
		return;
	if (bound || tensor->placed)
		mp_warn(e,
			"%s: tensor '%.80s' stays in the arena: its place "
			"there is given",
			graph->place, mp_graph_tensor_label(tensor));
	else
		tensor->external = true;
}

bool mp_graph_apply_policies(
	struct graph *graph, struct arena *arena, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(arena);
	const struct ties *ties = &graph->ties;
	bool *bound;

	if (graph->inputs == POLICY_INSIDE && graph->outputs == POLICY_INSIDE)
		return true;
	bound = NEW(arena, bool, graph->n_tensors);
	if (!bound)
		return false;
	mark_bound(ties, bound);
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		apply_policy(graph, &graph->tensors[t], bound[t], e);
	for (uint32_t i = 0; i < ties->n_aliases; i++)
		graph->tensors[ties->aliases[i].tensor].external =
			graph->tensors[ties->aliases[i].root].external;
	mp_arena_rewind(arena, mark);
	return true;
}
