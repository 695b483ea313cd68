/*
 * inductor-bfs: PyTorch's breadth-first order. The next op is the ready one
 * with the earliest predecessors: the steps of these, ascending, are compared
 * lexicographically.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "order/rows.h"

struct walk {
	const struct graph *graph;
	uint32_t *steps; /* of all ops: the steps of predecessors, ascending */
	uint32_t *first; /* of an op: where its steps begin */
	uint32_t *waiting; /* of an op: ops before it that have not run */
	uint32_t *heap;	   /* of ready ops, first one on top */
	uint32_t n_heap;
};

static struct ids steps_of(const struct walk *w, uint32_t op)
{
	return (struct ids){
		w->steps + w->first[op], w->graph->ops[op].before.n};
}

static bool is_less(const struct walk *w, uint32_t a, uint32_t b)
{
	struct ids of_a = steps_of(w, a);
	struct ids of_b = steps_of(w, b);

	for (uint32_t i = 0; i < of_a.n && i < of_b.n; i++)
		if (of_a.at[i] != of_b.at[i])
			return of_a.at[i] < of_b.at[i];
	return of_a.n != of_b.n ? of_a.n < of_b.n : a < b;
}

static void push_ready(struct walk *w, uint32_t op)
{
	uint32_t i = w->n_heap++, parent;

	for (; i > 0; i = parent) {
		parent = (i - 1) / 2;
		if (!is_less(w, op, w->heap[parent]))
			break;
		w->heap[i] = w->heap[parent];
	}
	w->heap[i] = op;
}

static uint32_t pop_ready(struct walk *w)
{
	uint32_t least = w->heap[0], last;
	uint32_t i = 0, child;

	assert(w->n_heap > 0);
	last = w->heap[--w->n_heap];
	for (; (child = 2 * i + 1) < w->n_heap; i = child) {
		if (child + 1 < w->n_heap &&
			is_less(w, w->heap[child + 1], w->heap[child]))
			child++;
		if (!is_less(w, w->heap[child], last))
			break;
		w->heap[i] = w->heap[child];
	}
	w->heap[i] = last;
	return least;
}

static bool init_walk(struct walk *w, struct arena *arena)
{
	const struct graph *graph = w->graph;
	uint32_t n = graph->n_ops;

	w->waiting = NEW(arena, uint32_t, n);
	w->heap = NEW(arena, uint32_t, n);
	w->first = NEW(arena, uint32_t, (size_t)n + 1);
	if (!w->waiting || !w->heap || !w->first)
		return false;
	for (uint32_t op = 0; op < n; op++) {
		w->waiting[op] = graph->ops[op].before.n;
		w->first[op + 1] = w->first[op] + w->waiting[op];
	}
	w->steps = NEW(arena, uint32_t, w->first[n]);
	return w->steps != NULL;
}

/* The op ran at the step. */
static void release_behind(struct walk *w, uint32_t op, uint32_t step)
{
	const struct ids *behind = &w->graph->ops[op].behind;
	uint32_t next;

	for (uint32_t i = 0; i < behind->n; i++) {
		next = behind->at[i];
		assert(w->waiting[next] > 0);
		w->steps[w->first[next + 1] - w->waiting[next]] = step;
		if (--w->waiting[next] == 0)
			push_ready(w, next);
	}
}

bool mp_order_inductor_bfs(struct order_job *job, int variant)
{
	const struct graph *graph = job->graph;
	uint32_t *order = NEW(job->arena, uint32_t, graph->n_ops);
	struct arena_mark mark = mp_arena_mark(job->arena);
	struct walk w = {.graph = graph};

	(void)variant;
	if (!order || !init_walk(&w, job->arena))
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		if (w.waiting[op] == 0)
			push_ready(&w, op);
	for (uint32_t i = 0; w.n_heap > 0; i++) {
		order[i] = pop_ready(&w);
		release_behind(&w, order[i], i);
	}
	mp_arena_rewind(job->arena, mark);
	job->alternatives[0] = order;
	job->n_alternatives = 1;
	return true;
}
