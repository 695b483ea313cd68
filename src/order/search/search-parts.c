/*
 * Parts one after the other. Of parts that look alike, as micro-batches do, the
 * one in the middle is searched by itself. Then every part runs as that one
 * does, each as a whole and all in the order of their chain. A shift, a cut or
 * a window mends one of the parts, and a pipeline of 64 needs as many.
 *
 * The part by itself has what its ops read and write: what no other op reads
 * later dies there, and what others read then stays.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "order/inside.h"
#include "order/search/alike-parts.h"

struct line {
	struct search *s;
	struct parts parts;
	uint32_t *place; /* of an op: its place in its part */
	uint32_t *order; /* room for what is found */
};

/* ------------------------------------------------- a part by itself */

static struct ids ops_of(const struct line *l, uint32_t part)
{
	return mp_order_parts_ops(&l->parts, part);
}

/* Do all that use the tensor belong to the part? */
static bool dies_inside(const struct line *l, uint32_t tensor, uint32_t part)
{
	struct ids users = mp_lists_at(&l->s->view->users, tensor);

	for (uint32_t i = 0; i < users.n; i++)
		if (l->parts.of[users.at[i]] != part)
			return false;
	return !l->s->view->to_end[tensor];
}

/* A tensor from elsewhere that others use too is alive all the time. */
static bool view_part(
	struct line *l, uint32_t part, struct ids ops, struct view *to)
{
	const struct view *view = l->s->view;
	uint32_t *root = NEW(l->s->arena, uint32_t, view->n_tensors);
	bool *to_end = NEW(l->s->arena, bool, view->n_tensors);
	struct view_of of = {ops, root, to_end};

	if (!root || !to_end)
		return false;
	for (uint32_t t = 0; t < view->n_tensors; t++) {
		uint32_t from = view->producer[t];

		to_end[t] = !dies_inside(l, t, part);
		root[t] = (from != NONE && l->parts.of[from] == part) ||
					  !to_end[t]
				  ? t
				  : NONE;
	}
	return mp_order_view_some(to, view, &of, l->s->arena);
}

static void take_found(struct line *l, struct ids ops, const struct search *s)
{
	for (uint32_t i = 0; i < ops.n; i++)
		l->place[ops.at[s->order[i]]] = i;
}

/* The ops ascend, as lists of a view do. */
static bool search_part(struct line *l, uint32_t part, uint64_t steps)
{
	struct search *s = l->s, inner;
	struct ids ops = ops_of(l, part);
	uint32_t *own = mp_arena_copy(s->arena, ops.at, ops.n, sizeof(*own));
	uint32_t *order = NEW(s->arena, uint32_t, ops.n);
	uint32_t *spare = NEW(s->arena, uint32_t, ops.n);
	uint64_t *at = NEW(s->arena, uint64_t, ops.n);
	struct view view;

	if (!own || !order || !spare || !at)
		return false;
	mp_sort_u32(own, ops.n);
	for (uint32_t i = 0; i < ops.n; i++) {
		order[i] = i;
		at[i] = s->place[own[i]];
	}
	mp_sort_radix(order, spare, ops.n, at);
	ops.at = own;
	if (!view_part(l, part, ops, &view) ||
		!mp_order_search_init_within(&inner, s, &view, order, steps) ||
		!mp_order_search_first(&inner))
		return false;
	mp_order_search_step(s, steps - inner.steps);
	take_found(l, ops, &inner);
	return true;
}

/* ------------------------------------------------------ parts alike */

/* Fills the places of the ops of a part from those of another one. Both lists
 * ascend by looks; what has no like gets none. */
static void copy_places(struct line *l, struct ids like, struct ids ops)
{
	const uint64_t *look = l->parts.look;

	for (uint32_t i = 0, k = 0; i < ops.n; i++) {
		while (k < like.n && look[like.at[k]] < look[ops.at[i]])
			k++;
		l->place[ops.at[i]] =
			k < like.n && look[like.at[k]] == look[ops.at[i]]
				? l->place[like.at[k++]]
				: NONE;
	}
}

static bool sort_by_looks(struct line *l)
{
	struct lists *lists = &l->parts.ops;
	uint32_t *spare = NEW(l->s->arena, uint32_t, l->s->view->n_ops);

	for (uint32_t i = 0; spare && i < l->parts.n; i++)
		mp_sort_radix(lists->links + lists->first[l->parts.all[i].name],
			spare, ops_of(l, l->parts.all[i].name).n,
			l->parts.look);
	return spare != NULL;
}

static int by_rank(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return mp_sort_compare_two(x->rank, y->rank, x->name, y->name);
}

/* ------------------------------------------------------------ order */

/* Adds the ops of a part at their places to the list. */
static uint32_t add_part(struct line *l, const struct part *part,
	uint64_t *place, uint32_t *spare, uint32_t *listed)
{
	struct ids ops = ops_of(l, part->name);
	uint32_t n = 0;

	if (part->kind != NONE && part->kind != part->name)
		copy_places(l, ops_of(l, part->kind), ops);
	for (uint32_t i = 0; i < ops.n; i++) {
		if (part->kind == NONE)
			l->place[ops.at[i]] = l->s->place[ops.at[i]];
		if (l->place[ops.at[i]] == NONE)
			continue;
		place[ops.at[i]] = l->place[ops.at[i]];
		listed[n++] = ops.at[i];
	}
	mp_sort_radix(listed, spare, n, place);
	return n;
}

/* Fills the rank of each op: those of parts as they are listed, and others as
 * soon as they can run. */
static bool rank_ops(struct line *l, uint32_t *rank)
{
	struct search *s = l->s;
	uint32_t n_ops = s->view->n_ops, n = 0;
	uint64_t *place = NEW(s->arena, uint64_t, n_ops);
	uint32_t *spare = NEW(s->arena, uint32_t, n_ops);
	uint32_t *listed = NEW(s->arena, uint32_t, n_ops);

	if (!place || !spare || !listed)
		return false;
	qsort(l->parts.all, l->parts.n, sizeof(*l->parts.all), by_rank);
	for (uint32_t i = 0; i < l->parts.n; i++)
		n += add_part(l, &l->parts.all[i], place, spare, listed + n);
	for (uint32_t i = 0; i < n; i++)
		rank[listed[i]] = i + 1;
	for (uint32_t i = 0; i < n_ops; i++) {
		uint32_t op = s->order[i];
		struct ids before = mp_lists_at(&s->view->before, op);
		bool follows = rank[op] == 0;

		for (uint32_t k = 0; follows && k < before.n; k++)
			rank[op] =
				(uint32_t)num_max(rank[op], rank[before.at[k]]);
	}
	return true;
}

/* From an order that is not near the bound, shifts may end higher than from
 * another one that costs more: so it is for later. */
static void offer_line(struct line *l, uint64_t peak)
{
	enum {
		NEAR = 32 /* one in so many of the peak above the bound */
	};
	struct search *s = l->s;

	if (peak >= s->peak)
		return;
	s->late = l->order;
	memcpy(s->late, s->trial, sizeof(*s->late) * s->view->n_ops);
	if (peak - num_min(peak, s->bound.bytes) <= peak / NEAR)
		mp_order_search_offer_late(s);
}

static bool try_line(struct line *l)
{
	struct search *s = l->s;
	uint32_t *rank = NEW(s->arena, uint32_t, s->view->n_ops);
	uint64_t peak;

	if (!rank || !rank_ops(l, rank) ||
		!mp_order_first_ready(s->view->graph, rank, s->trial, s->arena))
		return false;
	peak = mp_order_view_profile(s->view, s->trial, &s->live, NULL);
	if (!mp_order_polish(s->view, &s->live, s->trial, &peak, s->arena))
		return false;
	offer_line(l, peak);
	return true;
}

static bool search_kinds(struct line *l)
{
	enum {
		PART = 64 /* of the steps that are left are for one */
	};
	struct arena *arena = l->s->arena;
	struct arena_mark mark = mp_arena_mark(arena);
	bool fine = true;

	for (uint32_t i = 0; i < l->parts.n && fine; i++) {
		const struct part *part = &l->parts.all[i];

		if (part->kind == part->name)
			fine = search_part(l, part->name, l->s->steps / PART);
		mp_arena_rewind(arena, mark);
	}
	return fine;
}

static bool run_in_line(struct line *l)
{
	enum {
		MOST_KINDS = 64 /* the view of each takes the time of the whole
				   graph */
	};
	struct search *s = l->s;
	uint32_t n = s->view->n_ops;

	l->place = NEW(s->arena, uint32_t, n);
	if (!l->place || !mp_order_parts_find(&l->parts, s))
		return false;
	if (l->parts.n_alike < n / 2 || l->parts.n_kinds > MOST_KINDS)
		return true;
	return sort_by_looks(l) && search_kinds(l) && try_line(l);
}

bool mp_order_search_parts(struct search *s)
{
	struct line line = {.s = s};
	uint64_t steps = s->steps, peak = s->peak;
	struct arena_mark mark;
	bool done;

	if (mp_order_search_done(s) || s->view->pinned)
		return true;
	line.order = NEW(s->arena, uint32_t, s->view->n_ops);
	if (!line.order)
		return false;
	mark = mp_arena_mark(s->arena);
	done = run_in_line(&line);
	mp_arena_rewind(s->arena, mark);
	/* Where it brings nothing, all else is as without it. */
	if (s->peak == peak && s->steps > 0)
		s->steps = steps;
	return done;
}
