/*
 * Ascend's delay pass: an op that reads only variables, constants and data of
 * the run moves to just before its first consumer. The chain of ops behind it
 * moves too, as long as every further link reads one tensor only. A link with
 * several consumers is the last of its chain. No op moves by less than two
 * places.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "order/rows.h"

/* Chains of ops, one a slot of the order. The last op of the chain at slot i is
 * always the one that stood there, or the chain is empty. */
struct chains {
	uint32_t *head;	 /* first op of a slot; NONE: moved away */
	uint32_t *next;	 /* of an op in its chain; NONE: last */
	uint32_t *place; /* slot that an op had */
	bool *stays;	 /* of a slot: its chain may not move any more */
};

static bool reads_long_lived_only(const struct graph *graph, uint32_t op)
{
	const struct ids *inputs = &graph->ops[op].inputs;

	for (uint32_t i = 0; i < inputs->n; i++)
		if (graph->tensors[inputs->at[i]].producer != NONE)
			return false;
	return inputs->n > 0;
}

/* Slot of the first consumer, or NONE if the chain stays. */
static uint32_t target_slot(const struct graph *graph,
	const struct chains *chains, uint32_t op, uint32_t slot)
{
	const struct ids *behind = &graph->ops[op].behind;
	bool alone = chains->head[slot] == op;
	uint32_t first = NONE;

	if (chains->stays[slot] ||
		(alone && !reads_long_lived_only(graph, op)) ||
		(!alone && graph->ops[op].inputs.n != 1))
		return NONE;
	for (uint32_t i = 0; i < behind->n; i++)
		if (chains->place[behind->at[i]] < first)
			first = chains->place[behind->at[i]];
	return first > slot + 1 ? first : NONE;
}

static void move_chain(
	struct chains *chains, uint32_t last, uint32_t from, uint32_t to)
{
	assert(from < to && chains->head[from] != NONE);
	chains->next[last] = chains->head[to];
	chains->head[to] = chains->head[from];
	chains->head[from] = NONE;
}

bool mp_order_delay_ascend(
	const struct graph *graph, uint32_t *order, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t n = graph->n_ops, to, filled = 0;
	struct chains chains = {NEW(arena, uint32_t, n),
		NEW(arena, uint32_t, n), NEW(arena, uint32_t, n),
		NEW(arena, bool, n)};

	if (!chains.head || !chains.next || !chains.place || !chains.stays)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		chains.head[i] = order[i];
		chains.next[i] = NONE;
		chains.place[order[i]] = i;
	}
	for (uint32_t i = 0; i < n; i++) {
		to = target_slot(graph, &chains, order[i], i);
		if (to == NONE)
			continue;
		if (graph->ops[order[i]].behind.n > 1)
			chains.stays[to] = true;
		move_chain(&chains, order[i], i, to);
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t op = chains.head[i]; op != NONE;
			op = chains.next[op])
			order[filled++] = op;
	assert(filled == n);
	mp_arena_rewind(arena, mark);
	return true;
}
