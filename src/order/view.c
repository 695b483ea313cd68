/*
 * The lists of a view.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/view.h"

#include <assert.h>

#include "order/inside.h"
#include "order/order.h"

/* ---------------------------------------------------------- tensors */

static uint32_t n_steps(const struct graph *graph)
{
	uint32_t n = graph->n_ops ? graph->n_ops : graph->n_steps;

	return n == 0 && graph->n_tensors > 0 ? 1 : n;
}

/* Adds bytes to steps [start, end) whatever the order. Until all
 * are added the array holds differences. */
static bool add_pinned(struct view *view, const struct tensor *t,
	uint32_t start, uint32_t end, struct arena *arena)
{
	uint32_t n = n_steps(view->graph);

	if (!view->pinned)
		view->pinned = NEW(arena, uint64_t, (size_t)n + 1);
	if (!view->pinned)
		return false;
	if (start < end && end <= n) {
		view->pinned[start] += mp_graph_tensor_rounded(view->graph, t);
		view->pinned[end] -= mp_graph_tensor_rounded(view->graph, t);
	}
	return true;
}

/* listed: the lifetime of the tensor depends on the order. Other tensors are
 * added to the sums. */
static bool classify_tensor(struct view *view, const struct tensor *t,
	bool *listed, struct arena *arena)
{
	*listed = false;
	if (t->external || t->size == 0)
		return true;
	if (t->pinned)
		return add_pinned(view, t, t->start, t->end, arena);
	if (mp_graph_tensor_from_start(t) && mp_graph_tensor_to_end(t)) {
		view->always += mp_graph_tensor_rounded(view->graph, t);
		return true;
	}
	if (t->producer == NONE && mp_graph_readers(view->graph, t).n == 0)
		return add_pinned(view, t, 0, 1, arena);
	*listed = true;
	return true;
}

static bool list_tensors(
	struct view *view, uint32_t *listed, struct arena *arena)
{
	const struct graph *graph = view->graph;
	bool moves;

	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		if (!classify_tensor(view, &graph->tensors[t], &moves, arena))
			return false;
		listed[t] = moves ? view->n_tensors++ : NONE;
	}
	for (uint32_t i = 0; view->pinned && i < n_steps(graph); i++)
		view->pinned[i + 1] += view->pinned[i];
	view->size = NEW(arena, uint64_t, view->n_tensors);
	view->producer = NEW(arena, uint32_t, view->n_tensors);
	view->to_end = NEW(arena, bool, view->n_tensors);
	view->tensor = NEW(arena, uint32_t, view->n_tensors);
	if (!view->size || !view->producer || !view->to_end || !view->tensor)
		return false;
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (listed[t] != NONE)
			view->tensor[listed[t]] = t;
	return true;
}

static void fill_tensor(struct view *view, uint32_t t)
{
	const struct tensor *tensor = &view->graph->tensors[view->tensor[t]];

	view->size[t] = mp_graph_tensor_rounded(view->graph, tensor);
	view->to_end[t] = mp_graph_tensor_to_end(tensor);
	view->producer[t] = tensor->producer;
	if (mp_graph_tensor_from_start(tensor))
		view->producer[t] = NONE;
}

/* The ops after which the tensor is free. An input of the run that an op writes
 * and no op reads is free once it is written. */
static struct ids users_of(const struct view *view, uint32_t t)
{
	const struct tensor *tensor = &view->graph->tensors[view->tensor[t]];
	struct ids readers = mp_graph_readers(view->graph, tensor);

	if (view->to_end[t])
		return (struct ids){0};
	if (readers.n == 0 && view->producer[t] == NONE)
		return (struct ids){&tensor->producer, 1};
	return readers;
}

static bool find_users(struct view *view, struct arena *arena)
{
	struct ids users;

	if (!mp_lists_init(&view->users, view->n_tensors, arena))
		return false;
	for (uint32_t t = 0; t < view->n_tensors; t++) {
		fill_tensor(view, t);
		mp_lists_count(&view->users, t, users_of(view, t).n);
	}
	if (!mp_lists_ready(&view->users, view->n_tensors, arena))
		return false;
	for (uint32_t t = 0; t < view->n_tensors; t++) {
		users = users_of(view, t);
		for (uint32_t i = 0; i < users.n; i++)
			mp_lists_add(&view->users, t, users.at[i]);
	}
	return mp_lists_transpose(&view->users, view->n_tensors, &view->inputs,
		view->n_ops, arena);
}

/* ------------------------------------------------------------ edges */

static bool copy_edges(struct view *view, struct arena *arena)
{
	const struct op *ops = view->graph->ops;

	if (!mp_lists_init(&view->before, view->n_ops, arena))
		return false;
	for (uint32_t op = 0; op < view->n_ops; op++) {
		mp_lists_count(&view->before, op, ops[op].before.n);
		view->n_edges += ops[op].before.n;
	}
	if (!mp_lists_ready(&view->before, view->n_ops, arena))
		return false;
	for (uint32_t op = 0; op < view->n_ops; op++)
		for (uint32_t i = 0; i < ops[op].before.n; i++)
			mp_lists_add(&view->before, op, ops[op].before.at[i]);
	return mp_lists_transpose(
		&view->before, view->n_ops, &view->behind, view->n_ops, arena);
}

/* --------------------------------------------------------- in place */

bool mp_order_view_reads(const struct view *view, uint32_t op, uint32_t t)
{
	return mp_lists_contain(mp_lists_at(&view->inputs, op), t);
}

/* Fixed offsets decide whether two tensors share bytes, and tensors in
 * different pools never do. */
static bool placed_alike(const struct tensor *a, const struct tensor *b)
{
	return a->placed == b->placed && a->offset == b->offset &&
	       a->pools == b->pools;
}

/* May the pair share bytes in some order? Fills it with tensors of the view. */
static bool may_share(const struct view *view, uint32_t op,
	const struct inplace_pair *pair, const uint32_t *listed,
	struct view_pair *found)
{
	const struct tensor *tensors = view->graph->tensors;

	assert(pair->output < view->graph->n_tensors &&
		pair->input < view->graph->n_tensors);
	*found = (struct view_pair){listed[pair->output], listed[pair->input]};
	return found->output != NONE && found->input != NONE &&
	       found->output != found->input && !tensors[pair->output].tied &&
	       !tensors[pair->input].tied &&
	       view->producer[found->output] == op &&
	       placed_alike(&tensors[pair->output], &tensors[pair->input]) &&
	       mp_order_view_reads(view, op, found->input);
}

static bool find_pairs(
	struct view *view, const uint32_t *listed, struct arena *arena)
{
	const struct op *ops = view->graph->ops;
	uint32_t n = 0;

	for (uint32_t op = 0; op < view->n_ops; op++)
		n += ops[op].n_inplace;
	view->first_pair = NEW(arena, uint32_t, (size_t)view->n_ops + 1);
	view->pairs = NEW(arena, struct view_pair, n);
	if (!view->first_pair || !view->pairs)
		return false;
	n = 0;
	for (uint32_t op = 0; op < view->n_ops; op++) {
		for (uint32_t i = 0; i < ops[op].n_inplace; i++) {
			const struct inplace_pair *in = &ops[op].inplace[i];
			struct view_pair *pair = &view->pairs[n];

			n += may_share(view, op, in, listed, pair);
		}
		view->first_pair[op + 1] = n;
	}
	if (n == 0)
		view->pairs = NULL;
	return true;
}

/* ------------------------------------------------------------- sums */

/* Is the tensor freed at its producer, since no op uses it? */
static bool is_dead(const struct view *view, uint32_t t)
{
	assert(t < view->n_tensors);
	return !view->to_end[t] &&
	       view->users.first[t] == view->users.first[t + 1];
}

bool mp_order_view_sum(struct view *view, struct arena *arena)
{
	uint32_t n = view->n_ops, producer;

	view->at_start = 0;
	view->out = NEW(arena, uint64_t, n);
	view->dead = NEW(arena, uint64_t, n);
	view->credit = NEW(arena, uint64_t, n);
	if (!view->out || !view->dead || !view->credit)
		return false;
	for (uint32_t t = 0; t < view->n_tensors; t++) {
		producer = view->producer[t];
		if (producer == NONE) {
			view->at_start += view->size[t];
			continue;
		}
		view->out[producer] += view->size[t];
		if (is_dead(view, t))
			view->dead[producer] += view->size[t];
	}
	for (uint32_t op = 0; view->pairs && op < n; op++)
		for (uint32_t i = view->first_pair[op];
			i < view->first_pair[op + 1]; i++)
			view->credit[op] +=
				mp_order_view_shared(view, &view->pairs[i]);
	return true;
}

/* ------------------------------------------------------------- view */

bool mp_order_view_init(struct view *view, const struct graph *graph,
	bool inplace, struct arena *arena)
{
	uint32_t *listed = NEW(arena, uint32_t, graph->n_tensors);

	*view = (struct view){.n_ops = graph->n_ops};
	view->graph = mp_order_fold(graph, arena);
	return listed && view->graph && copy_edges(view, arena) &&
	       list_tensors(view, listed, arena) && find_users(view, arena) &&
	       mp_lists_group(&view->outputs, view->n_ops, view->producer,
		       sizeof(*view->producer), view->n_tensors, arena) &&
	       (!inplace || find_pairs(view, listed, arena)) &&
	       mp_order_view_sum(view, arena);
}

const struct view *mp_order_view(struct order_job *job)
{
	struct view *view = NULL;

	if (job->view)
		return job->view;
	view = NEW(job->arena, struct view, 1);
	if (!view ||
		!mp_order_view_init(view, job->graph, job->inplace, job->arena))
		return NULL;
	job->view = view;
	return view;
}

void mp_order_view_last_users(
	const struct view *view, const uint32_t *place, uint32_t *last)
{
	struct ids users;

	for (uint32_t t = 0; t < view->n_tensors; t++) {
		last[t] = 0;
		users = mp_lists_at(&view->users, t);
		for (uint32_t i = 0; i < users.n; i++)
			if (place[users.at[i]] > last[t])
				last[t] = place[users.at[i]];
	}
}
