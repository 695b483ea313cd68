/*
 * Hills: merges independent parts of a graph. The parts are the connected
 * components of a section, a range of steps. Each part keeps its order; hills
 * and valleys are the maxima and minima of its memory profile. The merge of the
 * profiles with the lowest peak is known (Abdel-Wahab and Kameda 1978, Liu
 * 1987).
 *
 * inside.h says where a part may pause and which segment runs first. The
 * merge is optimal for chains that share no tensors; for other parts it is
 * measured like any order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

struct hills {
	struct search *s;
	uint32_t from, to; /* the section: steps of the best order */
	uint32_t picked;   /* the part that is assumed to be the last user of
			      tensors that several parts use, or NONE */

	/* Of a step of the section, counted from its start. */
	uint32_t *part;	      /* the first step of its part; in find_parts() the
				 parent in a union-find forest */
	struct lists steps;   /* of a part: its steps */
	bool *shares;	      /* of a part, at its first step: another part
				 uses a tensor of it too */
	int64_t *freed;	      /* bytes of tensors of its part that die there */
	struct point *points; /* part by part, each in its order */
	struct segment *segments;
	uint32_t n_segments;

	uint32_t *looked; /* of a tensor: the try that looked at it last */
	uint32_t tries;
};

/* --------------------------------------------------------- sections */

/* A pivot is a step before which all earlier ops run in every order, and after
 * which all later ones do. Sources and sinks do not count, as they can run next
 * to their neighbours. */
static void find_pivots(const struct search *s, bool *pivot)
{
	const struct view *view = s->view;
	uint32_t n = view->n_ops, first = 0, last = n;
	struct ids list;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t near = n;

		pivot[i] = first <= i;
		list = mp_lists_at(&view->behind, s->order[i]);
		for (uint32_t k = 0; k < list.n; k++)
			if (s->place[list.at[k]] < near)
				near = s->place[list.at[k]];
		if (list.n > 0 && near > first)
			first = near;
	}
	for (uint32_t i = n; i-- > 0;) {
		uint32_t near = 0;

		pivot[i] = last >= i && pivot[i];
		list = mp_lists_at(&view->before, s->order[i]);
		for (uint32_t k = 0; k < list.n; k++)
			if (s->place[list.at[k]] > near)
				near = s->place[list.at[k]];
		if (list.n > 0 && near < last)
			last = near;
	}
}

/* The section: the steps around the peak up to the next pivots. False: memory
 * is out. */
static bool find_section(struct hills *h)
{
	const struct search *s = h->s;
	bool *pivot = NEW(s->arena, bool, s->view->n_ops);
	uint32_t peak = 0;

	if (!pivot)
		return false;
	find_pivots(s, pivot);
	while (s->costs[peak] != s->peak)
		peak++;
	for (h->from = peak; h->from > 0 && !pivot[h->from - 1];)
		h->from--;
	for (h->to = peak; h->to < s->view->n_ops && !pivot[h->to];)
		h->to++;
	return true;
}

/* ------------------------------------------------------------ parts */

static uint32_t root_of(uint32_t *part, uint32_t step)
{
	while (part[step] != step) {
		part[step] = part[part[step]];
		step = part[step];
	}
	return step;
}

/* The step of an op, counted from the start of the section, or NONE. */
static uint32_t step_of(const struct hills *h, uint32_t op)
{
	uint32_t place = h->s->place[op];

	return place >= h->from && place < h->to ? place - h->from : NONE;
}

static void find_parts(struct hills *h)
{
	const struct search *s = h->s;
	uint32_t n = h->to - h->from, a, b;

	for (uint32_t i = 0; i < n; i++)
		h->part[i] = i;
	for (uint32_t i = 0; i < n; i++) {
		struct ids before =
			mp_lists_at(&s->view->before, s->order[h->from + i]);

		for (uint32_t k = 0; k < before.n; k++) {
			if (step_of(h, before.at[k]) == NONE)
				continue;
			a = root_of(h->part, i);
			b = root_of(h->part, step_of(h, before.at[k]));
			h->part[a > b ? a : b] = a > b ? b : a;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		h->part[i] = root_of(h->part, i);
}

/* The step of the section at which a tensor dies, or NONE. If several parts use
 * the tensor, the merge decides which is last, so its bytes count for the
 * picked part or for none; shared: they do. */
static uint32_t last_use(const struct hills *h, uint32_t tensor, bool *shared)
{
	struct ids users = mp_lists_at(&h->s->view->users, tensor);
	uint32_t last = NONE, picked = NONE, step;

	*shared = false;
	for (uint32_t i = 0; i < users.n; i++) {
		if (h->s->place[users.at[i]] < h->from)
			continue;
		step = step_of(h, users.at[i]);
		if (step == NONE) {
			*shared = false;
			return NONE;
		}
		*shared |= last != NONE && h->part[last] != h->part[step];
		if (last == NONE || step > last)
			last = step;
		if (h->part[step] == h->picked &&
			(picked == NONE || step > picked))
			picked = step;
	}
	return *shared ? picked : last;
}

/* Its parts of the section share the tensor. */
static void mark_shared(struct hills *h, uint32_t tensor)
{
	struct ids users = mp_lists_at(&h->s->view->users, tensor);

	for (uint32_t i = 0; i < users.n; i++)
		if (step_of(h, users.at[i]) != NONE)
			h->shares[h->part[step_of(h, users.at[i])]] = true;
}

/* Looks at each tensor once: one may have users all over the section. */
static void find_freed(struct hills *h)
{
	const struct search *s = h->s;
	bool shared;

	h->tries++;
	for (uint32_t i = h->from; i < h->to; i++) {
		struct ids inputs = mp_lists_at(&s->view->inputs, s->order[i]);

		for (uint32_t k = 0; k < inputs.n; k++) {
			uint32_t tensor = inputs.at[k], last;

			if (h->looked[tensor] == h->tries)
				continue;
			h->looked[tensor] = h->tries;
			last = last_use(h, tensor, &shared);
			if (last != NONE)
				h->freed[last] +=
					(int64_t)s->view->size[tensor];
			if (shared)
				mark_shared(h, tensor);
		}
	}
}

/* --------------------------------------------------------- segments */

/* Computes the profile of a part. */
static void profile_part(struct hills *h, struct point *points, uint32_t n)
{
	const struct search *s = h->s;
	int64_t level = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t step = points[i].step;
		uint32_t op = s->order[h->from + step];

		points[i].cost = level + (int64_t)mp_order_search_need(s, op);
		level += (int64_t)(s->view->out[op] - s->view->dead[op]) -
			 h->freed[step];
		points[i].after = level;
	}
}

static int by_turn(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	if (x->up != y->up)
		return x->up ? 1 : -1;
	if (x->key != y->key)
		return (x->key < y->key) == x->up ? 1 : -1;
	return mp_sort_compare(x->from, y->from);
}

/* Fills s->trial with the merge of all parts. */
static void merge_segments(struct hills *h)
{
	struct search *s = h->s;
	uint32_t first = 0, at = h->from;

	for (uint32_t part = 0; part < h->to - h->from; part++) {
		struct ids steps = mp_lists_at(&h->steps, part);

		if (steps.n == 0)
			continue;
		for (uint32_t i = 0; i < steps.n; i++)
			h->points[first + i].step = steps.at[i];
		profile_part(h, h->points + first, steps.n);
		h->n_segments += mp_order_segments_cut(h->points + first,
			steps.n, first, h->segments + h->n_segments);
		first += steps.n;
	}
	qsort(h->segments, h->n_segments, sizeof(*h->segments), by_turn);
	memcpy(s->trial, s->order, sizeof(*s->trial) * s->view->n_ops);
	for (uint32_t i = 0; i < h->n_segments; i++)
		for (uint32_t k = h->segments[i].from; k < h->segments[i].to;
			k++)
			s->trial[at++] = s->order[h->from + h->points[k].step];
	assert(at == h->to);
}

static bool find_profile(struct hills *h)
{
	struct arena *arena = h->s->arena;
	uint32_t n;

	if (!find_section(h))
		return false;
	n = h->to - h->from;
	h->part = NEW(arena, uint32_t, n);
	h->shares = NEW(arena, bool, n);
	h->freed = NEW(arena, int64_t, n);
	h->points = NEW(arena, struct point, n);
	h->segments = NEW(arena, struct segment, n);
	h->looked = NEW(arena, uint32_t, h->s->view->n_tensors);
	h->tries = 0;
	if (!h->part || !h->shares || !h->freed || !h->points || !h->segments ||
		!h->looked)
		return false;
	find_parts(h);
	return mp_lists_group(
		&h->steps, n, h->part, sizeof(*h->part), n, arena);
}

static bool try_merge(struct hills *h, uint32_t picked)
{
	memset(h->freed, 0, sizeof(*h->freed) * (h->to - h->from));
	h->picked = picked;
	h->n_segments = 0;
	find_freed(h);
	merge_segments(h);
	mp_order_search_step(h->s, (h->to - h->from) / OPS_A_STEP);
	return mp_order_search_take(h->s);
}

/* Tries each part that shares tensors as their last user. A part is named by
 * its first step. */
static bool merge_parts(struct hills *h)
{
	enum {
		MOST_PICKED = 64 /* parts tried: bounds the work, as there may
				    be one part for every op */
	};
	uint32_t picked = 0;

	if (try_merge(h, NONE))
		return true;
	for (uint32_t i = 0; i < h->to - h->from && picked < MOST_PICKED &&
			     !mp_order_search_done(h->s);
		i++)
		if (h->part[i] == i && h->shares[i]) {
			picked++;
			if (try_merge(h, i))
				return true;
		}
	return false;
}

bool mp_order_search_hills(struct search *s)
{
	struct arena_mark mark = mp_arena_mark(s->arena);
	struct hills h = {.s = s};
	bool done = true, better = true;

	while (done && better && !mp_order_search_done(s)) {
		done = find_profile(&h);
		better = done && merge_parts(&h);
		mp_arena_rewind(s->arena, mark);
	}
	return done;
}
