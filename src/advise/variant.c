/*
 * A graph and its order with one change applied.
 *
 * SPDX-License-Identifier: MIT
 */
#include "advise/advise.h"

#include <assert.h>
#include <string.h>

#include "budget/budget.h"
#include "lifetime/lifetime.h"

struct variant {
	struct graph graph;
	uint32_t *order; /* ops, in execution order */
	struct arena *arena;
};

static bool copy(
	struct variant *v, const struct schedule *schedule, bool inplace)
{
	const struct graph *graph = schedule->graph;

	v->graph = *graph;
	v->graph.ops = mp_arena_copy(
		v->arena, graph->ops, graph->n_ops, sizeof(*graph->ops));
	v->graph.tensors = mp_arena_copy(v->arena, graph->tensors,
		graph->n_tensors, sizeof(*graph->tensors));
	v->order = mp_arena_copy(
		v->arena, schedule->order, graph->n_ops, sizeof(*v->order));
	if (!v->graph.ops || !v->graph.tensors || !v->order)
		return false;
	for (uint32_t i = 0; i < graph->n_ops; i++) {
		v->graph.ops[i].n_unequal = 0;
		if (!inplace)
			v->graph.ops[i].n_inplace = 0;
	}
	return true;
}

/* ---------------------------------------------------------- changes */

static bool write_in_place(struct variant *v, const struct advice *advice)
{
	struct op *op = &v->graph.ops[advice->op];
	struct inplace_pair *pairs =
		NEW(v->arena, struct inplace_pair, op->n_inplace + 1u);

	if (!pairs)
		return false;
	for (uint32_t i = 0; i < op->n_inplace; i++)
		pairs[i] = op->inplace[i];
	pairs[op->n_inplace++] =
		(struct inplace_pair){advice->other, advice->tensor};
	op->inplace = pairs;
	return true;
}

/* The op leaves step from and runs right before the op of step to. */
static void move(struct variant *v, const struct advice *advice)
{
	uint32_t from = advice->from, to = advice->to;
	uint32_t *order = v->order, op = order[from];

	assert(from != to && from < v->graph.n_ops && to <= v->graph.n_ops);
	if (to > from) {
		memmove(order + from, order + from + 1,
			(to - from - 1) * sizeof(*order));
		order[to - 1] = op;
	} else {
		memmove(order + to + 1, order + to,
			(from - to) * sizeof(*order));
		order[to] = op;
	}
}

/* The tensor rests between two uses: it is copied out and back, or its op runs
 * again. */
static bool detour(
	struct variant *v, const struct advice *advice, struct error *e)
{
	bool recompute = advice->kind == ADVICE_RECOMPUTE;
	const struct detour detour = {.tensor = advice->tensor,
		.last_use = advice->from,
		.next_use = advice->to,
		.out_step = advice->from,
		.in_step = advice->to,
		.recompute = recompute,
		.written = !recompute,
		.ops = &advice->op,
		.n_ops = recompute};
	struct graph graph = v->graph;

	if (!mp_budget_rewrite_detours(&graph, v->order, &detour, 1, false,
		    &v->graph, v->arena, e))
		return false;
	v->order = NEW(v->arena, uint32_t, v->graph.n_ops);
	for (uint32_t k = 0; v->order && k < v->graph.n_ops; k++)
		v->order[k] = k;
	return v->order != NULL;
}

static void halve(struct variant *v)
{
	for (uint32_t i = 0; i < v->graph.n_tensors; i++) {
		struct tensor *tensor = &v->graph.tensors[i];

		if (tensor->kind != KIND_WEIGHT && tensor->kind != KIND_STATE)
			tensor->size -= tensor->size / 2;
	}
}

/* Sizes that no longer sum up, and the like, make a change impossible. What
 * changes neither ops nor tensors leaves the graph linked. */
static bool apply(
	struct variant *v, const struct advice *advice, struct error *e)
{
	switch (advice->kind) {
	case ADVICE_INPLACE:
		return write_in_place(v, advice);
	case ADVICE_MOVE:
		move(v, advice);
		return true;
	case ADVICE_RECOMPUTE:
	case ADVICE_SWAP: /* a body would copy in each iteration */
		return v->graph.n_loops == 0 && detour(v, advice, e);
	case ADVICE_BATCH:
		halve(v);
		return mp_graph_link(&v->graph, v->arena, e);
	case N_ADVICE:
		break;
	}
	return false;
}

/* ---------------------------------------------------------- measure */

bool mp_advise_variant_measure(const struct schedule *schedule, bool inplace,
	struct advice *advice, struct arena *arena, struct error *e)
{
	struct lifetime_options options = {.inplace = true};
	struct arena scratch = mp_arena_beside(arena);
	struct variant v = {.arena = &scratch};
	const struct schedule *changed = NULL;
	struct error impossible = {0};

	if (copy(&v, schedule, inplace) && apply(&v, advice, &impossible))
		changed = mp_lifetime(
			&v.graph, v.order, &options, &scratch, &impossible);
	advice->peak = changed ? changed->problem.theoretical_min : UINT64_MAX;
	mp_arena_free(&scratch);
	return e->code == MEMPLAN_OK;
}
