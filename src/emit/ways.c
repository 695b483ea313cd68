/*
 * What a budget moves: which tensor leaves the arena, and which one comes back.
 * An op of src/budget/rewrite.c says so by its type, and by the names of its
 * tensors: NAME@2 comes back for NAME, and NAME@3 for NAME@2.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "emit/inside.h"

static bool is_type(const struct op *op, const char *type)
{
	return op->type && strcmp(op->type, type) == 0;
}

uint32_t mp_emit_ways_moved(const struct op *op)
{
	if (is_type(op, "swap-out") && op->inputs.n == 1)
		return op->inputs.at[0];
	if ((is_type(op, "swap-in") || is_type(op, "recompute")) &&
		op->outputs.n == 1)
		return op->outputs.at[0];
	return NONE;
}

bool mp_emit_ways_is_out(const struct op *op)
{
	return is_type(op, "swap-out");
}

/* NULL: it has no such name, or memory is out. */
static const char *name_before(const char *name, struct arena *arena)
{
	const char *at = name ? strrchr(name, '@') : NULL;
	unsigned long n = at ? strtoul(at + 1, NULL, 10) : 0;

	if (n < 2)
		return NULL;
	if (n == 2)
		return mp_arena_text(arena, name, (size_t)(at - name));
	return mp_arena_print(arena, "%.*s@%lu", (int)(at - name), name, n - 1);
}

static void add(struct ways *ways, const struct schedule *s,
	const struct chains *chains, const struct names *names,
	const struct op *op, struct arena *arena)
{
	uint32_t back = mp_emit_ways_moved(op), old;
	const char *name;

	if (back == NONE || mp_emit_ways_is_out(op))
		return;
	name = name_before(s->graph->tensors[back].name, arena);
	old = name ? mp_names_find(names, name) : NONE;
	if (old == NONE || chains->home[old] == NONE ||
		chains->home[back] == NONE ||
		s->stay[old].end > s->stay[back].start)
		return;
	ways->at[ways->n++] = (struct way){old, back, is_type(op, "recompute")};
}

static bool any_moves(const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->n_ops; i++)
		if (mp_emit_ways_moved(&graph->ops[i]) != NONE)
			return true;
	return false;
}

bool mp_emit_ways_find(struct ways *ways, const struct schedule *s,
	const struct chains *chains, struct arena *arena)
{
	const struct graph *graph = s->graph;
	struct names names;

	*ways = (struct ways){0};
	if (!any_moves(graph))
		return true;
	ways->at = NEW(arena, struct way, graph->n_ops);
	if (!ways->at || !mp_names_init(&names, graph->n_tensors, arena))
		return false;
	for (uint32_t i = 0; i < graph->n_tensors; i++)
		if (graph->tensors[i].name)
			mp_names_add(&names, graph->tensors[i].name, i);
	for (uint32_t k = 0; k < graph->n_ops; k++)
		add(ways, s, chains, &names, &graph->ops[s->order[k]], arena);
	return arena->error->code == MEMPLAN_OK;
}
