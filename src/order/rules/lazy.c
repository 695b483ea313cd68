/*
 * Lazy ops, found in topological order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/rules/inside.h"

#include <assert.h>

/* A link of a chain reads one tensor and is its only reader. */
static bool is_lazy(const struct view *view, uint32_t op, const bool *lazy)
{
	struct ids inputs = mp_lists_at(&view->inputs, op);
	uint32_t producer;

	if (inputs.n > 1 || view->out[op] == 0 ||
		mp_lists_at(&view->behind, op).n == 0)
		return false;
	if (inputs.n == 0)
		return true;
	producer = view->producer[inputs.at[0]];
	return producer != NONE && lazy[producer] &&
	       mp_lists_at(&view->users, inputs.at[0]).n == 1;
}

/* All ops, each after the ops that wait for it. */
static void list_backward(
	const struct view *view, uint32_t *left, uint32_t *list)
{
	uint32_t tail = 0;
	struct ids before;

	for (uint32_t op = 0; op < view->n_ops; op++) {
		left[op] = mp_lists_at(&view->behind, op).n;
		if (left[op] == 0)
			list[tail++] = op;
	}
	for (uint32_t head = 0; head < tail; head++) {
		before = mp_lists_at(&view->before, list[head]);
		for (uint32_t i = 0; i < before.n; i++)
			if (--left[before.at[i]] == 0)
				list[tail++] = before.at[i];
	}
	assert(tail == view->n_ops); /* the graph has no cycle */
}

static uint32_t height_of(
	const struct view *view, uint32_t op, const uint32_t *height)
{
	struct ids behind = mp_lists_at(&view->behind, op);
	uint32_t most = 0;

	for (uint32_t i = 0; i < behind.n; i++)
		if (height[behind.at[i]] >= most)
			most = height[behind.at[i]] + 1;
	assert(most < view->n_ops);
	return most;
}

bool mp_order_lazy_find(const struct view *view, bool *lazy, uint32_t *height,
	struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *left = NEW(arena, uint32_t, view->n_ops);
	uint32_t *list = NEW(arena, uint32_t, view->n_ops);

	if (!left || !list)
		return false;
	list_backward(view, left, list);
	for (uint32_t i = 0; i < view->n_ops; i++)
		height[list[i]] = height_of(view, list[i], height);
	for (uint32_t i = view->n_ops; i-- > 0;)
		lazy[list[i]] = is_lazy(view, list[i], lazy);
	mp_arena_rewind(arena, mark);
	return true;
}
