/*
 * The view of some ops of a graph, as if there were no others.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/sort.h"
#include "order/search/inside.h"

struct some {
	const struct view *view;
	const struct view_of *of;
	struct view *to;
	uint32_t *number; /* of an op: its own; NONE: it is none of them */
	uint32_t *tensor; /* likewise, of a tensor that stands for others */
	uint32_t *spare;
	struct arena *arena;
};

/* The tensor, or the one that stands for it, in the view; or NONE. */
static uint32_t own_tensor(const struct some *x, uint32_t t)
{
	return x->of->root[t] == NONE ? NONE : x->tensor[x->of->root[t]];
}

/* Those that the ops write, or that were there before and one of them reads. */
static void number_tensors(struct some *x)
{
	const struct view *view = x->view;

	for (uint32_t i = 0; i < x->of->ops.n; i++) {
		uint32_t op = x->of->ops.at[i];
		struct ids lists[] = {mp_lists_at(&view->inputs, op),
			mp_lists_at(&view->outputs, op)};

		for (uint32_t k = 0; k < lists[0].n + lists[1].n; k++) {
			uint32_t t = k < lists[0].n
					     ? lists[0].at[k]
					     : lists[1].at[k - lists[0].n];
			uint32_t root = x->of->root[t];

			if (root != NONE && x->tensor[root] == NONE)
				x->tensor[root] = x->to->n_tensors++;
		}
	}
}

static bool copy_tensors(struct some *x)
{
	const struct view *view = x->view;
	struct view *to = x->to;

	to->size = NEW(x->arena, uint64_t, to->n_tensors);
	to->producer = NEW(x->arena, uint32_t, to->n_tensors);
	to->to_end = NEW(x->arena, bool, to->n_tensors);
	if (!to->size || !to->producer || !to->to_end)
		return false;
	for (uint32_t t = 0; t < view->n_tensors; t++) {
		uint32_t own = x->tensor[t], from = view->producer[t];

		if (own == NONE)
			continue;
		to->size[own] = view->size[t];
		to->producer[own] = from == NONE ? NONE : x->number[from];
		to->to_end[own] = x->of->to_end[t];
	}
	return true;
}

/* What the op reads, in the view, into x->spare: gives how many. */
static uint32_t list_inputs(struct some *x, uint32_t op)
{
	struct ids inputs = mp_lists_at(&x->view->inputs, op);
	uint32_t n = 0;

	for (uint32_t i = 0; i < inputs.n; i++) {
		uint32_t own = own_tensor(x, inputs.at[i]);

		if (own != NONE && !x->to->to_end[own])
			x->spare[n++] = own;
	}
	return mp_sort_unique_u32(x->spare, n);
}

/* Ops that it waits for, and those that write what it reads. */
static uint32_t list_before(struct some *x, uint32_t op)
{
	struct ids before = mp_lists_at(&x->view->before, op);
	struct ids inputs = mp_lists_at(&x->view->inputs, op);
	uint32_t n = 0;

	for (uint32_t i = 0; i < before.n; i++)
		if (x->number[before.at[i]] != NONE)
			x->spare[n++] = x->number[before.at[i]];
	for (uint32_t i = 0; i < inputs.n; i++) {
		uint32_t own = own_tensor(x, inputs.at[i]);

		if (own != NONE && x->to->producer[own] != NONE)
			x->spare[n++] = x->to->producer[own];
	}
	return mp_sort_unique_u32(x->spare, n);
}

typedef uint32_t list_some(struct some *x, uint32_t op);

/* Lists what each op has. */
static bool make_lists(struct some *x, list_some *list, struct lists *lists)
{
	struct ids ops = x->of->ops;

	if (!mp_lists_init(lists, ops.n, x->arena))
		return false;
	for (uint32_t i = 0; i < ops.n; i++)
		mp_lists_count(lists, i, list(x, ops.at[i]));
	if (!mp_lists_ready(lists, ops.n, x->arena))
		return false;
	for (uint32_t i = 0; i < ops.n; i++) {
		uint32_t n = list(x, ops.at[i]);

		for (uint32_t k = 0; k < n; k++)
			mp_lists_add(lists, i, x->spare[k]);
	}
	return true;
}

static bool copy_lists(struct some *x)
{
	struct view *to = x->to;

	if (!make_lists(x, list_inputs, &to->inputs) ||
		!make_lists(x, list_before, &to->before))
		return false;
	to->n_edges = to->before.first[to->n_ops];
	return mp_lists_transpose(&to->inputs, to->n_ops, &to->users,
		       to->n_tensors, x->arena) &&
	       mp_lists_transpose(&to->before, to->n_ops, &to->behind,
		       to->n_ops, x->arena) &&
	       mp_lists_group(&to->outputs, to->n_ops, to->producer,
		       sizeof(*to->producer), to->n_tensors, x->arena);
}

static bool copy_pairs(struct some *x)
{
	const struct view *view = x->view;
	struct ids ops = x->of->ops;
	struct view *to = x->to;
	uint32_t n = 0;

	if (!view->pairs)
		return true;
	for (uint32_t i = 0; i < ops.n; i++)
		n += view->first_pair[ops.at[i] + 1] -
		     view->first_pair[ops.at[i]];
	to->first_pair = NEW(x->arena, uint32_t, (size_t)ops.n + 1);
	to->pairs = NEW(x->arena, struct view_pair, n);
	if (!to->first_pair || !to->pairs)
		return false;
	n = 0;
	for (uint32_t i = 0; i < ops.n; i++) {
		for (uint32_t k = view->first_pair[ops.at[i]];
			k < view->first_pair[ops.at[i] + 1]; k++) {
			struct view_pair *pair = &to->pairs[n];

			pair->output = own_tensor(x, view->pairs[k].output);
			pair->input = own_tensor(x, view->pairs[k].input);
			n += pair->output != NONE && pair->input != NONE;
		}
		to->first_pair[i + 1] = n;
	}
	if (n == 0)
		to->pairs = NULL;
	return true;
}

bool mp_order_view_some(struct view *to, const struct view *view,
	const struct view_of *of, struct arena *arena)
{
	struct some x = {.view = view, .of = of, .to = to, .arena = arena};

	*to = (struct view){.n_ops = of->ops.n,
		.graph = view->graph,
		.always = view->always};
	x.number = NEW(arena, uint32_t, view->n_ops);
	x.tensor = NEW(arena, uint32_t, view->n_tensors);
	x.spare = NEW(arena, uint32_t, (size_t)view->n_ops + view->n_tensors);
	if (!x.number || !x.tensor || !x.spare)
		return false;
	memset(x.number, 0xff, sizeof(*x.number) * view->n_ops);
	memset(x.tensor, 0xff, sizeof(*x.tensor) * view->n_tensors);
	for (uint32_t i = 0; i < of->ops.n; i++)
		x.number[of->ops.at[i]] = i;
	number_tensors(&x);
	return copy_tensors(&x) && copy_lists(&x) && copy_pairs(&x) &&
	       mp_order_view_sum(to, arena);
}
