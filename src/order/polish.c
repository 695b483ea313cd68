/*
 * Polishing: late, early, late. An op that frees more than it writes lowers the
 * cost of every later step, so it runs as early as possible: optimiser steps
 * and last readers move up. Without in-place pairs and pinned lifetimes neither
 * pass can raise the peak; with them it may, so the result is measured first.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "order/inside.h"

struct advance {
	const struct view *view;
	struct live *live;
	uint64_t cap;
	uint32_t *waiting; /* of an op: ops before it that have not run */
	bool *done;
	uint32_t *stack; /* ops that may have become worth running */
	uint32_t n_stack;
	bool *stacked;
	uint32_t *order;
	uint32_t n_order;
};

static void push_candidate(struct advance *a, uint32_t op)
{
	if (a->waiting[op] > 0 || a->done[op] || a->stacked[op])
		return;
	a->stacked[op] = true;
	a->stack[a->n_stack++] = op;
}

static bool is_gain(const struct advance *a, uint32_t op)
{
	uint64_t freed =
		mp_order_live_freed(a->live, a->view, op) + a->view->dead[op];

	if (freed < a->view->out[op] ||
		(freed == a->view->out[op] && freed > 0))
		return false;
	return mp_order_live_cost(a->live, a->view, op) <= a->cap;
}

/* Runs the op. Ops that became ready, or the last reader of a tensor, become
 * candidates. */
static void run_op(struct advance *a, uint32_t op)
{
	const struct view *view = a->view;
	struct ids inputs = mp_lists_at(&view->inputs, op), list;

	mp_order_live_run(a->live, view, op);
	a->done[op] = true;
	a->order[a->n_order++] = op;
	for (uint32_t i = 0; i < inputs.n; i++) {
		if (a->live->left[inputs.at[i]] != 1)
			continue;
		list = mp_lists_at(&view->users, inputs.at[i]);
		for (uint32_t k = 0; k < list.n; k++)
			push_candidate(a, list.at[k]);
	}
	list = mp_lists_at(&view->behind, op);
	for (uint32_t i = 0; i < list.n; i++) {
		assert(a->waiting[list.at[i]] > 0);
		a->waiting[list.at[i]]--;
		push_candidate(a, list.at[i]);
	}
}

static void run_gains(struct advance *a)
{
	uint32_t op;

	while (a->n_stack > 0) {
		op = a->stack[--a->n_stack];
		a->stacked[op] = false;
		if (!a->done[op] && is_gain(a, op))
			run_op(a, op);
	}
}

bool mp_order_advance(const struct view *view, uint64_t cap, struct live *live,
	uint32_t *order, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t n = view->n_ops;
	struct advance a = {.view = view, .live = live, .cap = cap};

	a.waiting = NEW(arena, uint32_t, n);
	a.done = NEW(arena, bool, n);
	a.stack = NEW(arena, uint32_t, n);
	a.stacked = NEW(arena, bool, n);
	a.order = NEW(arena, uint32_t, n);
	if (!a.waiting || !a.done || !a.stack || !a.stacked || !a.order)
		return false;
	mp_order_live_reset(live, view);
	for (uint32_t op = 0; op < n; op++)
		a.waiting[op] = mp_lists_at(&view->before, op).n;
	for (uint32_t i = 0; i < n; i++) {
		if (a.done[order[i]])
			continue;
		run_op(&a, order[i]);
		run_gains(&a);
	}
	assert(a.n_order == n);
	memcpy(order, a.order, sizeof(*order) * n);
	mp_arena_rewind(arena, mark);
	return true;
}

bool mp_order_polish(const struct view *view, struct live *live,
	uint32_t *order, uint64_t *peak, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *tried = NEW(arena, uint32_t, view->n_ops);
	uint64_t found;

	if (!tried)
		return false;
	memcpy(tried, order, sizeof(*order) * view->n_ops);
	if (!mp_order_late_move(view, LATE_SAFE, tried, arena) ||
		!mp_order_advance(view, *peak, live, tried, arena) ||
		!mp_order_late_move(view, LATE_SAFE, tried, arena))
		return false;
	found = mp_order_view_profile(view, tried, live, NULL);
	if (found < *peak) {
		memcpy(order, tried, sizeof(*order) * view->n_ops);
		*peak = found;
	}
	mp_arena_rewind(arena, mark);
	return true;
}
