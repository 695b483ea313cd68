/*
 * outward: ops by their distance from one end of the graph, where edges are
 * followed both ways; one part that hangs together after the other. An end is
 * the op that a walk breadth first reaches last (Cuthill and McKee, Reducing
 * the bandwidth of sparse symmetric matrices, 1969). Where ops are wired to
 * what is near them, and the input lists them in no sequence, this finds a
 * sequence again; rules that go along the edges begin at every source at once.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "order/inside.h"
#include "order/rows.h"

struct outward {
	const struct graph *graph;
	uint32_t *queue;
	uint8_t *walks; /* of an op: walks that reached it */
};

/* Queues those of the ops that this walk has not reached. The last op in the
 * queue tells how many walks there were. */
static uint32_t reach(struct outward *w, struct ids ops, uint32_t n)
{
	for (uint32_t i = 0; i < ops.n; i++)
		if (w->walks[ops.at[i]] < w->walks[w->queue[n - 1]]) {
			w->walks[ops.at[i]]++;
			w->queue[n++] = ops.at[i];
		}
	return n;
}

/* Queues the part of the graph that the op is in, behind `first` ops. Returns
 * how many there are then. */
static uint32_t walk(struct outward *w, uint32_t op, uint32_t first)
{
	uint32_t n = first;

	w->walks[op]++;
	w->queue[n++] = op;
	for (uint32_t i = first; i < n; i++) {
		const struct op *at = &w->graph->ops[w->queue[i]];

		n = reach(w, at->before, n);
		n = reach(w, at->behind, n);
	}
	assert(n <= w->graph->n_ops);
	return n;
}

bool mp_order_outward(struct order_job *job, int variant)
{
	const struct graph *graph = job->graph;
	uint32_t *order = NEW(job->arena, uint32_t, graph->n_ops);
	struct arena_mark mark = mp_arena_mark(job->arena);
	struct outward w = {.graph = graph,
		.queue = NEW(job->arena, uint32_t, graph->n_ops),
		.walks = NEW(job->arena, uint8_t, graph->n_ops)};
	uint32_t *rank = NEW(job->arena, uint32_t, graph->n_ops);
	uint32_t first = 0, n = 0;

	if (!order || !w.queue || !w.walks || !rank)
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++) {
		if (w.walks[op] > 0)
			continue;
		n = walk(&w, op, first);
		for (int i = 0; i <= variant; i++)
			n = walk(&w, w.queue[n - 1], first);
		first = n;
	}
	assert(n == graph->n_ops);
	for (uint32_t i = 0; i < n; i++)
		rank[w.queue[i]] = i;
	if (!mp_order_first_ready(graph, rank, order, job->arena))
		return false;
	mp_arena_rewind(job->arena, mark);
	job->alternatives[0] = order;
	job->n_alternatives = 1;
	return true;
}
