/*
 * Gluing: contracts ops of a chain into single moves. Each op of a chain is the
 * only successor of the one before, and no other op reads its inputs. So the
 * memory profile of the chain is known before it runs, and pauses are needed
 * only at its lowest points (see inside.h). If inputs of the first op are
 * shared with other ops, the profile begins after it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "order/search/inside.h"

/* No other op reads inputs of the op or needs its lazy predecessors. */
static bool is_private(const struct state *x, uint32_t op)
{
	const struct view *view = x->view;
	struct ids inputs = mp_lists_at(&view->inputs, op);
	struct ids before = view->ops[op].before;

	for (uint32_t i = 0; i < inputs.n; i++)
		if (mp_lists_at(&view->users, inputs.at[i]).n != 1)
			return false;
	for (uint32_t i = 0; i < before.n; i++)
		if (x->lazy[before.at[i]] &&
			view->ops[before.at[i]].behind.n != 1)
			return false;
	return true;
}

/* The next op of the chain, or NONE. */
static uint32_t next_in_chain(const struct state *x, uint32_t op)
{
	struct ids behind = x->view->ops[op].behind, before;

	if (behind.n != 1 || !x->inside[behind.at[0]] ||
		!is_private(x, behind.at[0]))
		return NONE;
	before = x->view->ops[behind.at[0]].before;
	for (uint32_t i = 0; i < before.n; i++)
		if (before.at[i] != op && x->inside[before.at[i]] &&
			!x->lazy[before.at[i]])
			return NONE;
	return behind.at[0];
}

static struct point point_of(const struct state *x, uint32_t op, int64_t level)
{
	int64_t with = level + (int64_t)(x->extra[op] + x->view->out[op]);

	return (struct point){op, with - (int64_t)mp_order_state_saving(x, op),
		with - (int64_t)(x->view->dead[op] + x->freed[op])};
}

/* Glues the points of one segment; the first op has their rest. */
static void glue_segment(
	struct state *x, const struct point *points, uint32_t n)
{
	struct rest *rest = &x->rest[points[0].step];

	assert(n > 0);
	for (uint32_t i = 1; i < n; i++) {
		x->glued[points[i - 1].step] = points[i].step;
		if (points[i].cost - points[0].after > rest->cost)
			rest->cost = points[i].cost - points[0].after;
	}
	rest->after = points[n - 1].after - points[0].after;
}

static void glue_chain(struct state *x, uint32_t op, struct point *points,
	struct segment *segments)
{
	uint32_t n = 0, n_segments;
	int64_t level = 0;

	if (!is_private(x, op))
		op = next_in_chain(x, op);
	for (; op != NONE; op = next_in_chain(x, op)) {
		points[n] = point_of(x, op, level);
		level = points[n++].after;
	}
	n_segments = n > 0 ? mp_order_segments_cut(points, n, 0, segments) : 0;
	for (uint32_t i = 0; i < n_segments; i++)
		glue_segment(x, points + segments[i].from,
			segments[i].to - segments[i].from);
}

bool mp_order_state_glue(struct state *x, const uint32_t *order, uint32_t from,
	uint32_t to, struct arena *arena)
{
	struct point *points = NEW(arena, struct point, to - from);
	struct segment *segments = NEW(arena, struct segment, to - from);
	bool *follows = NEW(arena, bool, x->view->n_ops);
	uint32_t next;

	if (!points || !segments || !follows)
		return false;
	for (uint32_t i = from; i < to; i++) {
		next = x->lazy[order[i]] ? NONE : next_in_chain(x, order[i]);
		if (next != NONE)
			follows[next] = true;
	}
	for (uint32_t i = from; i < to; i++)
		if (!x->lazy[order[i]] && !follows[order[i]])
			glue_chain(x, order[i], points, segments);
	return true;
}
