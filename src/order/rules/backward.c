/*
 * Post-orders: the reverse depth-first orders of Ascend, those of XLA, and the
 * depth-first one of Inductor. They differ in the ops that they begin from and
 * in the order in which they visit the predecessors of an op.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/heap.h"
#include "base/lists.h"
#include "order/rows.h"

/* Depth-first search without recursion: the open ops are a stack, and next[] is
 * the next predecessor of each. */
struct walk {
	uint32_t *next; /* of an op: links visited; NONE: not begun */
	uint32_t *stack;
	uint32_t n_stack;
};

static void open_op(struct walk *w, uint32_t op)
{
	if (w->next[op] != NONE)
		return;
	w->next[op] = 0;
	w->stack[w->n_stack++] = op;
}

/* From the roots, first to last; predecessors in the order of their lists. */
static bool walk_back(const struct lists *before, const uint32_t *roots,
	uint32_t n_roots, uint32_t n_ops, uint32_t *order, struct arena *arena)
{
	struct walk w = {.next = NEW(arena, uint32_t, n_ops),
		.stack = NEW(arena, uint32_t, n_ops)};
	uint32_t n = 0, op;
	struct ids list;

	if (!w.next || !w.stack)
		return false;
	for (op = 0; op < n_ops; op++)
		w.next[op] = NONE;
	for (uint32_t i = 0; i < n_roots; i++) {
		open_op(&w, roots[i]);
		while (w.n_stack > 0) {
			op = w.stack[w.n_stack - 1];
			list = mp_lists_at(before, op);
			if (w.next[op] < list.n) {
				open_op(&w, list.at[w.next[op]++]);
				continue;
			}
			order[n++] = op;
			w.n_stack--;
		}
	}
	assert(n == n_ops); /* every op leads to a root */
	return true;
}

/* ------------------------------------------------------------- keys */

static uint64_t bytes_of(const struct graph *graph, struct ids tensors)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < tensors.n; i++)
		if (!graph->tensors[tensors.at[i]].external)
			bytes += graph->tensors[tensors.at[i]].size;
	return bytes;
}

/* XLA: the sum, over an op and its ancestors, of users beyond the first, and of
 * bytes written. An ancestor counts once for every path, so both sums are
 * capped: by the number of ops, and by the bytes of all ops weighed so far.
 * Largest first. */
static void weigh_xla(
	const struct graph *graph, const uint32_t *legal, struct keyed *keys)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < graph->n_ops; i++) {
		const struct op *op = &graph->ops[legal[i]];
		struct keyed *key = &keys[legal[i]];

		key->first = op->behind.n ? op->behind.n - 1 : 0;
		key->second = bytes_of(graph, op->outputs);
		total += key->second;
		for (uint32_t k = 0; k < op->before.n; k++) {
			key->first += keys[op->before.at[k]].first;
			key->second += keys[op->before.at[k]].second;
			key->first = num_min(key->first, graph->n_ops);
			key->second = num_min(key->second, total);
		}
	}
	for (uint32_t op = 0; op < graph->n_ops; op++) {
		keys[op].first = graph->n_ops - keys[op].first;
		keys[op].second = total - keys[op].second;
	}
}

static bool weigh_ops(struct order_job *job, int variant, struct keyed *keys)
{
	const struct graph *graph = job->graph;

	for (uint32_t op = 0; op < graph->n_ops; op++) {
		keys[op] = (struct keyed){.op = op};
		if (variant & (ORDER_BY_WRITTEN | ORDER_BY_BYTES))
			keys[op].first =
				bytes_of(graph, graph->ops[op].outputs);
		if (variant & ORDER_BY_BYTES)
			keys[op].first +=
				bytes_of(graph, graph->ops[op].inputs);
	}
	if (!(variant & ORDER_BY_XLA))
		return true;
	if (!mp_order_keep(job, 0))
		return false;
	weigh_xla(graph, job->alternatives[0], keys);
	return true;
}

/* ------------------------------------------------------------ lists */

/* Sorts all lists of predecessors at once: ops in the order of their keys are
 * added to the lists of their successors. */
static bool sort_lists(const struct graph *graph, const struct keyed *sorted,
	struct lists *before, struct arena *arena)
{
	const struct ids *behind;

	if (!mp_lists_init(before, graph->n_ops, arena))
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		mp_lists_count(before, op, graph->ops[op].before.n);
	if (!mp_lists_ready(before, graph->n_ops, arena))
		return false;
	for (uint32_t i = 0; i < graph->n_ops; i++) {
		behind = &graph->ops[sorted[i].op].behind;
		for (uint32_t k = 0; k < behind->n; k++)
			mp_lists_add(before, behind->at[k], sorted[i].op);
	}
	return true;
}

/* The ops to begin from: those without successors, or all. Ascend and XLA's
 * plain post-order take them as listed, the others by key. */
static uint32_t find_roots(const struct graph *graph, int variant,
	const struct keyed *sorted, uint32_t *roots)
{
	uint32_t n = 0, op;

	for (uint32_t i = 0; i < graph->n_ops; i++) {
		op = variant & ORDER_SORT_ROOTS ? sorted[i].op : i;
		if ((variant & ORDER_ALL_ROOTS) || graph->ops[op].behind.n == 0)
			roots[n++] = op;
	}
	return n;
}

bool mp_order_backward(struct order_job *job, int variant)
{
	const struct graph *graph = job->graph;
	uint32_t n = graph->n_ops, n_roots;
	uint32_t *order = NEW(job->arena, uint32_t, n);
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint32_t *roots = NEW(job->arena, uint32_t, n);
	struct keyed *keys = NEW(job->arena, struct keyed, n);
	struct lists before;

	if (!order || !roots || !keys || !weigh_ops(job, variant, keys))
		return false;
	mp_keyed_sort(keys, n);
	if (!sort_lists(graph, keys, &before, job->arena))
		return false;
	n_roots = find_roots(graph, variant, keys, roots);
	if (!walk_back(&before, roots, n_roots, n, order, job->arena))
		return false;
	mp_arena_rewind(job->arena, mark);
	job->alternatives[0] = order;
	job->n_alternatives = 1;
	return !(variant & ORDER_DELAY) ||
	       mp_order_delay_ascend(graph, order, job->arena);
}
