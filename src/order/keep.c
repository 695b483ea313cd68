/*
 * keep: the order of the input, made legal: at every step the first op of the
 * list that is ready. A list that is a legal order stays unchanged.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/heap.h"
#include "base/sink-text.h"
#include "order/inside.h"
#include "order/rows.h"

/* Is each op listed behind all that it waits for? */
static bool is_legal(const struct graph *graph)
{
	for (uint32_t op = 0; op < graph->n_ops; op++) {
		struct ids before = graph->ops[op].before;

		if (before.n > 0 && before.at[before.n - 1] >= op)
			return false;
	}
	return true;
}

bool mp_order_first_ready(const struct graph *graph, const uint32_t *rank,
	uint32_t *order, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *waiting = NEW(arena, uint32_t, graph->n_ops);
	struct heap heap;

	if (!waiting || !mp_heap_init(&heap, graph->n_ops, arena))
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++) {
		waiting[op] = graph->ops[op].before.n;
		if (waiting[op] == 0)
			mp_heap_push(&heap, (struct keyed){rank[op], 0, op});
	}
	for (uint32_t i = 0; heap.n > 0; i++) {
		struct ids behind;

		assert(i < graph->n_ops);
		order[i] = mp_heap_pop(&heap).op;
		behind = graph->ops[order[i]].behind;
		for (uint32_t k = 0; k < behind.n; k++)
			if (--waiting[behind.at[k]] == 0)
				mp_heap_push(&heap,
					(struct keyed){rank[behind.at[k]], 0,
						behind.at[k]});
	}
	mp_arena_rewind(arena, mark);
	return true;
}

bool mp_order_keep(struct order_job *job, int variant)
{
	const struct graph *graph = job->graph;
	uint32_t *order = NEW(job->arena, uint32_t, graph->n_ops);
	const struct ids *claim = &graph->claims.ops;
	uint32_t *rank;

	(void)variant;
	if (!order)
		return false;
	job->alternatives[0] = order;
	job->n_alternatives = 1;
	/* A plan file keeps the order that the plan was made for. */
	if (claim->n > 0 || (graph->n_ops > 0 && claim->at)) {
		if (claim->n != graph->n_ops ||
			!mp_graph_is_order(graph, claim->at, job->arena))
			return mp_fail(job->error, MEMPLAN_EINPUT,
				"%s: /order/ops: must name each of the %u op%s "
				"once, behind all that it waits for",
				graph->place, graph->n_ops,
				mp_text_plural(graph->n_ops));
		memcpy(order, claim->at, claim->n * sizeof(*order));
		return true;
	}
	for (uint32_t op = 0; op < graph->n_ops; op++)
		order[op] = op;
	if (is_legal(graph))
		return true;
	rank = mp_arena_copy(job->arena, order, graph->n_ops, sizeof(*rank));
	return rank && mp_order_first_ready(graph, rank, order, job->arena);
}
