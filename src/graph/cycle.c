/*
 * Cycles: topological sorting (Kahn 1962) finds whether there is one,
 * breadth-first search a shortest one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/inside.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Removes ops that wait for nothing until there are none. Returns how many ops
 * remain: those on a cycle or behind one (waiting[op] > 0). */
static uint32_t peel_ops(
	const struct graph *graph, uint32_t *waiting, uint32_t *queue)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t op = 0; op < graph->n_ops; op++) {
		waiting[op] = graph->ops[op].before.n;
		if (waiting[op] == 0)
			queue[tail++] = op;
	}
	while (head < tail) {
		const struct ids *behind = &graph->ops[queue[head++]].behind;

		for (uint32_t i = 0; i < behind->n; i++) {
			/* `before` and `behind` are transposes. */
			assert(waiting[behind->at[i]] > 0);
			if (--waiting[behind->at[i]] == 0)
				queue[tail++] = behind->at[i];
		}
	}
	return graph->n_ops - tail;
}

/* Breadth-first from an op back to itself: the length of the shortest cycle
 * through it, or NONE; from[] then leads back along it. */
static uint32_t cycle_through(const struct graph *graph, uint32_t op,
	uint32_t limit, const uint32_t *waiting, uint32_t *from,
	uint32_t *depth, uint32_t *queue)
{
	uint32_t head = 0, tail = 0, at, next;

	memset(depth, 0, sizeof(*depth) * graph->n_ops);
	queue[tail++] = op;
	while (head < tail) {
		at = queue[head++];
		if (depth[at] + 1 >= limit)
			return NONE;
		for (uint32_t i = 0; i < graph->ops[at].behind.n; i++) {
			next = graph->ops[at].behind.at[i];
			if (next == op) {
				from[op] = at;
				return depth[at] + 1;
			}
			if (waiting[next] == 0 || depth[next] != 0)
				continue;
			depth[next] = depth[at] + 1;
			from[next] = at;
			queue[tail++] = next;
		}
	}
	return NONE;
}

static bool report_cycle(const struct graph *graph, uint32_t op,
	uint32_t length, const uint32_t *from, struct error *e)
{
	enum {
		SHOWN = 8
	};
	char text[ERROR_TEXT];
	uint32_t chain[SHOWN], at = op;
	int used = 0;

	assert(length > 0);
	for (uint32_t i = 0; i < length; i++, at = from[at])
		if (length - 1 - i < SHOWN)
			chain[length - 1 - i] = at;
	for (uint32_t i = 0; i < length && i < SHOWN; i++)
		used += snprintf(text + used, sizeof(text) / SHOWN,
			"'%.40s' (op %u) -> ",
			mp_graph_op_label(graph, chain[i]), chain[i]);
	return mp_graph_fail(graph, THING_OP, chain[0], e, MEMPLAN_EINPUT,
		"the ops wait for each other in a cycle of %u: %s%s", length,
		text, length > SHOWN ? "..." : "the first again");
}

/* A search from every op would take quadratic time. After this many searches no
 * more ops are tried: the cycle that is named may then not be the shortest. */
enum {
	CYCLE_STARTS = 2000
};

static bool name_cycle(const struct graph *graph, const uint32_t *waiting,
	struct arena *arena, struct error *e)
{
	uint32_t *from = NEW(arena, uint32_t, graph->n_ops);
	uint32_t *kept = NEW(arena, uint32_t, graph->n_ops);
	uint32_t *depth = NEW(arena, uint32_t, graph->n_ops);
	uint32_t *queue = NEW(arena, uint32_t, graph->n_ops);
	uint32_t best = NONE, best_op = 0, length, tries = 0;

	if (!from || !kept || !depth || !queue)
		return false;
	for (uint32_t op = 0; op < graph->n_ops && best > 1; op++) {
		if (waiting[op] == 0 || (best != NONE && tries > CYCLE_STARTS))
			continue;
		tries++;
		length = cycle_through(
			graph, op, best, waiting, from, depth, queue);
		if (length >= best)
			continue;
		best = length;
		best_op = op;
		memcpy(kept, from, sizeof(*kept) * graph->n_ops);
	}
	assert(best != NONE); /* some op waits, so there is a cycle */
	return report_cycle(graph, best_op, best, kept, e);
}

bool mp_graph_check_acyclic(
	const struct graph *graph, struct arena *arena, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *waiting = NEW(arena, uint32_t, graph->n_ops);
	uint32_t *queue = NEW(arena, uint32_t, graph->n_ops);
	bool fine;

	if (!waiting || !queue)
		return false;
	fine = peel_ops(graph, waiting, queue) == 0 ||
	       name_cycle(graph, waiting, arena, e);
	mp_arena_rewind(arena, mark);
	return fine;
}
