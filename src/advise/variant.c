/*
 * A graph and its order with one change applied.
 *
 * SPDX-License-Identifier: MIT
 */
#include "advise/advise.h"

#include <assert.h>
#include <string.h>

#include "lifetime/lifetime.h"

enum {
	NEW_OPS = 2, /* most ops that a change adds */
};

struct variant {
	struct graph graph;
	uint32_t *order; /* ops, in execution order */
	struct arena *arena;
};

/* With room for what a change adds: a tensor of its own, or those of its op. */
static bool copy(struct variant *v, const struct graph *graph,
	const uint32_t *order, bool inplace, const struct op *op)
{
	size_t n_ops = graph->n_ops, n_tensors = graph->n_tensors;
	struct op *ops = NEW(v->arena, struct op, n_ops + NEW_OPS);
	struct tensor *tensors = NEW(v->arena, struct tensor,
		n_tensors + op->outputs.n + op->temporaries.n + 1);

	v->graph = *graph;
	v->order = NEW(v->arena, uint32_t, n_ops + NEW_OPS);
	if (!ops || !tensors || !v->order)
		return false;
	memcpy(ops, graph->ops, n_ops * sizeof(*ops));
	memcpy(tensors, graph->tensors, n_tensors * sizeof(*tensors));
	memcpy(v->order, order, n_ops * sizeof(*order));
	for (size_t i = 0; i < n_ops; i++) {
		ops[i].n_unequal = 0;
		if (!inplace)
			ops[i].n_inplace = 0;
	}
	v->graph.ops = ops;
	v->graph.tensors = tensors;
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

/* A new op that runs right before the given step. */
static struct op *insert(struct variant *v, uint32_t step)
{
	uint32_t op = v->graph.n_ops++;

	assert(step <= op);
	memmove(v->order + step + 1, v->order + step,
		(op - step) * sizeof(*v->order));
	v->order[step] = op;
	v->graph.ops[op] = (struct op){.name = ""};
	v->graph.ops[op].stream = v->graph.ops[0].stream;
	return &v->graph.ops[op];
}

static uint32_t add_tensor(struct variant *v, uint32_t like)
{
	struct tensor *tensor = &v->graph.tensors[v->graph.n_tensors];

	*tensor = v->graph.tensors[like];
	tensor->placed = false;
	return v->graph.n_tensors++;
}

static bool add_tensors(struct variant *v, const struct ids *like,
	struct ids *ids, uint32_t *wanted)
{
	uint32_t *list = NEW(v->arena, uint32_t, like->n), t = *wanted;

	for (uint32_t i = 0; list && i < like->n; i++) {
		list[i] = add_tensor(v, like->at[i]);
		if (like->at[i] == t)
			*wanted = list[i];
	}
	*ids = (struct ids){list, like->n};
	return list != NULL;
}

/* The op reads the new tensor where it read the old one. */
static bool rewire(struct variant *v, struct op *op, uint32_t old, uint32_t new)
{
	uint32_t *inputs = NEW(v->arena, uint32_t, op->inputs.n);
	struct inplace_pair *pairs =
		NEW(v->arena, struct inplace_pair, op->n_inplace);

	if (!inputs || !pairs)
		return false;
	for (uint32_t i = 0; i < op->inputs.n; i++)
		inputs[i] = op->inputs.at[i] == old ? new : op->inputs.at[i];
	for (uint32_t i = 0; i < op->n_inplace; i++) {
		pairs[i] = op->inplace[i];
		if (pairs[i].input == old)
			pairs[i].input = new;
	}
	op->inputs.at = inputs;
	op->inplace = pairs;
	return true;
}

/* All readers from a step on read the new tensor. */
static bool rewire_from(
	struct variant *v, uint32_t step, uint32_t old, uint32_t new)
{
	for (uint32_t k = step; k < v->graph.n_ops; k++) {
		struct op *op = &v->graph.ops[v->order[k]];

		for (uint32_t i = 0; i < op->inputs.n; i++) {
			if (op->inputs.at[i] != old)
				continue;
			if (!rewire(v, op, old, new))
				return false;
			break;
		}
	}
	return true;
}

static bool run_again(struct variant *v, const struct advice *advice)
{
	struct op *op = insert(v, advice->to);
	const struct op *first = &v->graph.ops[advice->op];
	uint32_t again = advice->tensor, none = NONE;

	op->inputs = first->inputs;
	return add_tensors(v, &first->outputs, &op->outputs, &again) &&
	       add_tensors(v, &first->temporaries, &op->temporaries, &none) &&
	       rewire_from(v, advice->to + 1, advice->tensor, again);
}

/* One op takes the tensor out behind its last use before the peak, another
 * brings it back before the next. */
static bool swap(struct variant *v, const struct advice *advice)
{
	uint32_t *ids = NEW(v->arena, uint32_t, 2);
	struct tensor *tensors = v->graph.tensors;
	struct op *in, *out;

	if (!ids)
		return false;
	ids[0] = advice->tensor;
	ids[1] = add_tensor(v, advice->tensor);
	tensors[ids[1]].kind = tensors[ids[0]].kind == KIND_OUTPUT
				       ? KIND_OUTPUT
				       : KIND_ACTIVATION;
	if (tensors[ids[0]].kind == KIND_OUTPUT)
		tensors[ids[0]].kind = KIND_ACTIVATION;
	tensors[ids[0]].to_end = false;
	in = insert(v, advice->to);
	in->outputs = (struct ids){ids + 1, 1};
	if (!rewire_from(v, advice->to + 1, ids[0], ids[1]))
		return false;
	out = insert(v, advice->from + 1);
	out->inputs = (struct ids){ids, 1};
	return true;
}

static void halve(struct variant *v)
{
	for (uint32_t i = 0; i < v->graph.n_tensors; i++) {
		struct tensor *tensor = &v->graph.tensors[i];

		if (tensor->kind != KIND_WEIGHT && tensor->kind != KIND_STATE)
			tensor->size -= tensor->size / 2;
	}
}

static bool apply(struct variant *v, const struct advice *advice)
{
	switch (advice->kind) {
	case ADVICE_INPLACE:
		return write_in_place(v, advice);
	case ADVICE_MOVE:
		move(v, advice);
		return true;
	case ADVICE_RECOMPUTE:
		return run_again(v, advice);
	case ADVICE_SWAP:
		return swap(v, advice);
	case ADVICE_BATCH:
		halve(v);
		return true;
	case N_ADVICE:
		break;
	}
	return false;
}

/* ---------------------------------------------------------- measure */

/* Sizes that no longer sum up, and the like, make a change impossible. */
static void measure(struct variant *v, struct advice *advice)
{
	struct lifetime_options options = {.inplace = true};
	const struct schedule *schedule;
	struct error e = {0};

	if (!mp_graph_link(&v->graph, v->arena, &e))
		return;
	schedule = mp_lifetime(&v->graph, v->order, &options, v->arena, &e);
	if (schedule)
		advice->peak = schedule->problem.theoretical_min;
}

bool mp_advise_variant_measure(const struct schedule *schedule, bool inplace,
	struct advice *advice, struct arena *arena, struct error *e)
{
	const struct graph *graph = schedule->graph;
	struct arena scratch = mp_arena_beside(arena);
	struct variant v = {.arena = &scratch};

	advice->peak = UINT64_MAX;
	if (copy(&v, graph, schedule->order, inplace,
		    &graph->ops[advice->op]) &&
		apply(&v, advice))
		measure(&v, advice);
	mp_arena_free(&scratch);
	return e->code == MEMPLAN_OK;
}
