/*
 * Dust: the smallest tensors, with a sum of sizes of at most 1/200 of the peak.
 * They multiply the sets of ops that a search has to distinguish and hardly
 * matter. This pass searches the graph with their sizes set to 0. Then every
 * order costs less, so a lower bound also holds for the true sizes; an order
 * that is found costs at most the dust more.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"

/* Dust is at most half a percent of the peak, so that an order that is optimal
 * without it is within half a percent of the optimum. */
enum {
	DUST_PART = 200
};

/* Sets the smallest sizes to 0, up to `most` bytes in all; swept: a size
 * changed. False: memory is out. */
static bool remove_dust(uint64_t *size, uint32_t n, uint64_t most, bool *swept,
	struct arena *arena)
{
	uint32_t *order = NEW(arena, uint32_t, n);
	uint32_t *spare = NEW(arena, uint32_t, n);
	uint32_t last = 0;

	if (!order || !spare)
		return false;
	for (uint32_t t = 0; t < n; t++)
		order[t] = t;
	mp_sort_radix(order, spare, n, size);
	*swept = false;
	for (; last < n && size[order[last]] <= most; last++) {
		most -= size[order[last]];
		*swept |= size[order[last]] > 0;
		size[order[last]] = 0;
	}
	return true;
}

static bool copy_without_dust(
	const struct search *s, struct view *view, bool *swept)
{
	struct arena *arena = s->arena;

	*view = *s->view;
	view->size = NEW(arena, uint64_t, view->n_tensors);
	if (!view->size)
		return false;
	memcpy(view->size, s->view->size,
		sizeof(*view->size) * view->n_tensors);
	return remove_dust(view->size, view->n_tensors, s->peak / DUST_PART,
		       swept, arena) &&
	       mp_order_view_sum(view, arena);
}

/* Spends half of the budget that is left. */
static bool search_without_dust(struct search *s, const struct view *view)
{
	struct search inner;
	uint64_t steps = s->steps / 2;

	if (!mp_order_search_init(&inner, view, s->order, steps, s->arena))
		return false;
	inner.stop = s->stop;
	inner.watch = s->watch;
	inner.enough = s->enough;
	if (!mp_order_search_improve(&inner))
		return false;
	assert(inner.steps <= steps);
	mp_order_search_step(s, steps - inner.steps);
	mp_order_search_prove(
		s, inner.bound.bytes, inner.bound.ops, inner.bound.first);
	memcpy(s->trial, inner.order, sizeof(*s->trial) * view->n_ops);
	mp_order_search_take(s);
	return true;
}

bool mp_order_search_dust(struct search *s)
{
	struct arena_mark mark = mp_arena_mark(s->arena);
	struct view view;
	bool swept = false;
	bool done = copy_without_dust(s, &view, &swept) &&
		    (!swept || search_without_dust(s, &view));

	mp_arena_rewind(s->arena, mark);
	return done;
}
