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
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

/* Dust is at most half a percent of the peak, so that an order that is optimal
 * without it is within half a percent of the optimum. */
enum {
	DUST_PART = 200
};

/* A tensor, to be sorted by size, then by index. */
struct grain {
	uint64_t size;
	uint32_t tensor;
};

static int by_size(const void *a, const void *b)
{
	const struct grain *x = a, *y = b;

	return mp_sort_compare_two(x->size, y->size, x->tensor, y->tensor);
}

/* Sets the smallest sizes to 0, up to `most` bytes in all; swept: a size
 * changed. False: memory is out. */
static bool remove_dust(uint64_t *size, uint32_t n, uint64_t most, bool *swept,
	struct arena *arena)
{
	struct grain *grains = NEW(arena, struct grain, n);

	if (!grains)
		return false;
	for (uint32_t t = 0; t < n; t++)
		grains[t] = (struct grain){size[t], t};
	qsort(grains, n, sizeof(*grains), by_size);
	*swept = false;
	for (uint32_t i = 0; i < n && grains[i].size <= most; i++) {
		most -= grains[i].size;
		*swept |= grains[i].size > 0;
		size[grains[i].tensor] = 0;
	}
	return true;
}

/* Sums of the view that depend on sizes. */
static void sum_sizes(struct view *view)
{
	uint32_t n = view->n_ops;

	memset(view->out, 0, sizeof(*view->out) * n);
	memset(view->dead, 0, sizeof(*view->dead) * n);
	memset(view->credit, 0, sizeof(*view->credit) * n);
	view->at_start = 0;
	for (uint32_t t = 0; t < view->n_tensors; t++) {
		if (view->producer[t] == NONE) {
			view->at_start += view->size[t];
			continue;
		}
		view->out[view->producer[t]] += view->size[t];
		if (mp_order_view_is_dead(view, t))
			view->dead[view->producer[t]] += view->size[t];
	}
	for (uint32_t op = 0; view->pairs && op < n; op++)
		for (uint32_t i = view->first_pair[op];
			i < view->first_pair[op + 1]; i++)
			view->credit[op] +=
				num_min(view->size[view->pairs[i].output],
					view->size[view->pairs[i].input]);
}

static bool copy_without_dust(
	const struct search *s, struct view *view, bool *swept)
{
	struct arena *arena = s->arena;

	*view = *s->view;
	view->size = NEW(arena, uint64_t, view->n_tensors);
	view->out = NEW(arena, uint64_t, view->n_ops);
	view->dead = NEW(arena, uint64_t, view->n_ops);
	view->credit = NEW(arena, uint64_t, view->n_ops);
	if (!view->size || !view->out || !view->dead || !view->credit)
		return false;
	memcpy(view->size, s->view->size,
		sizeof(*view->size) * view->n_tensors);
	if (!remove_dust(view->size, view->n_tensors, s->peak / DUST_PART,
		    swept, arena))
		return false;
	sum_sizes(view);
	return true;
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
