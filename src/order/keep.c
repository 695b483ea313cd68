/*
 * keep: the order of the input. Where the input lists an op before one that it
 * waits for, the earliest ready op in input order runs instead, so that a legal
 * input order comes out unchanged.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/rows.h"

/* A binary heap of op indices, least on top. */
struct heap {
	uint32_t *at;
	uint32_t n;
};

static void push(struct heap *heap, uint32_t op)
{
	uint32_t i = heap->n++;

	for (; i > 0 && heap->at[(i - 1) / 2] > op; i = (i - 1) / 2)
		heap->at[i] = heap->at[(i - 1) / 2];
	heap->at[i] = op;
}

static uint32_t pop(struct heap *heap)
{
	uint32_t least = heap->at[0], last = heap->at[--heap->n];
	uint32_t i = 0, child;

	for (; (child = 2 * i + 1) < heap->n; i = child) {
		if (child + 1 < heap->n &&
			heap->at[child + 1] < heap->at[child])
			child++;
		if (heap->at[child] >= last)
			break;
		heap->at[i] = heap->at[child];
	}
	heap->at[i] = last;
	return least;
}

bool mp_order_keep(struct order_job *job, int variant)
{
	const struct graph *graph = job->graph;
	uint32_t *order = NEW(job->arena, uint32_t, graph->n_ops);
	uint32_t *waiting = NEW(job->arena, uint32_t, graph->n_ops);
	struct heap heap = {NEW(job->arena, uint32_t, graph->n_ops), 0};

	(void)variant;
	if (!order || !waiting || !heap.at)
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++) {
		waiting[op] = graph->ops[op].before.n;
		if (waiting[op] == 0)
			push(&heap, op);
	}
	for (uint32_t i = 0; heap.n > 0; i++) {
		const struct ids *behind;

		order[i] = pop(&heap);
		behind = &graph->ops[order[i]].behind;
		for (uint32_t k = 0; k < behind->n; k++)
			if (--waiting[behind->at[k]] == 0)
				push(&heap, behind->at[k]);
	}
	job->choices[0] = order;
	job->n_choices = 1;
	return true;
}
