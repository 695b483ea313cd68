/*
 * fixed and dynamic are the two rules of Ascend's article on memory reuse; the
 * second is not in its published source. The safe rule has the same aim and is
 * exact.
 *
 * Ops are moved last to first, so that consumers have their final places and
 * whole chains move. Why the safe rule never raises the peak: let v move from
 * slot i to just before the op w at slot j. Between the two, v's outputs are
 * not alive any more, and v's inputs were alive until j before, so no step
 * there costs more. At j, v's outputs that are used later were alive during w
 * before. Only v's unused outputs are new there. They are alive while w's
 * outputs are not, so they must not be larger than these, less what w saves by
 * in-place pairs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/rules/inside.h"

#include <assert.h>

#include "order/rows.h"

struct late {
	const struct view *view;
	enum late_rule rule;
	const uint32_t *order;
	uint32_t *place; /* of an op: its slot, which others may share */
	uint32_t *last;	 /* of a tensor: slot of its last user */
	uint32_t *head;	 /* of a slot: first op there; NONE: moved away */
	uint32_t *next;	 /* of an op: the one behind it in its slot */
};

static uint32_t first_consumer(const struct late *l, uint32_t op)
{
	struct ids behind = mp_lists_at(&l->view->behind, op);
	uint32_t first = NONE;

	for (uint32_t i = 0; i < behind.n; i++)
		if (l->place[behind.at[i]] < first)
			first = l->place[behind.at[i]];
	return first;
}

static bool all_live_to(const struct late *l, uint32_t op, uint32_t slot)
{
	struct ids inputs = mp_lists_at(&l->view->inputs, op);

	for (uint32_t i = 0; i < inputs.n; i++)
		if (l->last[inputs.at[i]] < slot)
			return false;
	return true;
}

static bool one_lives_beyond(const struct late *l, uint32_t op, uint32_t slot)
{
	struct ids inputs = mp_lists_at(&l->view->inputs, op);

	for (uint32_t i = 0; i < inputs.n; i++)
		if (l->last[inputs.at[i]] > slot)
			return true;
	return false;
}

/* May the op move to just before the slot's own op? */
static bool may_move(const struct late *l, uint32_t op, uint32_t slot)
{
	const struct view *view = l->view;
	uint32_t owner = l->order[slot];

	switch (l->rule) {
	case LATE_FIXED:
		return mp_lists_at(&view->inputs, op).n == 0;
	case LATE_DYNAMIC:
		return mp_lists_at(&view->inputs, op).n == 0 ||
		       one_lives_beyond(l, op, slot);
	case LATE_SAFE:
		return view->dead[op] + view->credit[owner] <=
			       view->out[owner] &&
		       all_live_to(l, op, slot);
	}
	return false;
}

static void move_op(struct late *l, uint32_t op, uint32_t from, uint32_t to)
{
	struct ids inputs = mp_lists_at(&l->view->inputs, op);

	for (uint32_t i = 0; i < inputs.n; i++)
		if (l->last[inputs.at[i]] < to)
			l->last[inputs.at[i]] = to;
	assert(from < to && l->head[to] != NONE);
	l->next[op] = l->head[to];
	l->head[to] = op;
	l->head[from] = NONE;
	l->place[op] = to;
}

static void find_last_users(struct late *l)
{
	struct ids users;

	for (uint32_t t = 0; t < l->view->n_tensors; t++) {
		users = mp_lists_at(&l->view->users, t);
		for (uint32_t i = 0; i < users.n; i++)
			if (l->place[users.at[i]] > l->last[t])
				l->last[t] = l->place[users.at[i]];
	}
}

static bool init_late(struct late *l, struct arena *arena)
{
	uint32_t n = l->view->n_ops;

	l->place = NEW(arena, uint32_t, n);
	l->last = NEW(arena, uint32_t, l->view->n_tensors);
	l->head = NEW(arena, uint32_t, n);
	l->next = NEW(arena, uint32_t, n);
	if (!l->place || !l->last || !l->head || !l->next)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		l->place[l->order[i]] = i;
		l->head[i] = l->order[i];
		l->next[i] = NONE;
	}
	find_last_users(l);
	return true;
}

bool mp_order_late_move(const struct view *view, enum late_rule rule,
	uint32_t *order, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct late l = {.view = view, .rule = rule, .order = order};
	uint32_t *moved = NEW(arena, uint32_t, view->n_ops);
	uint32_t to, n = 0;

	if (!moved || !init_late(&l, arena))
		return false;
	for (uint32_t i = view->n_ops; i-- > 0;) {
		to = first_consumer(&l, order[i]);
		if (to != NONE && to > i + 1 && may_move(&l, order[i], to))
			move_op(&l, order[i], i, to);
	}
	for (uint32_t i = 0; i < view->n_ops; i++)
		for (uint32_t op = l.head[i]; op != NONE; op = l.next[op])
			moved[n++] = op;
	assert(n == view->n_ops);
	for (uint32_t i = 0; i < view->n_ops; i++)
		order[i] = moved[i];
	mp_arena_rewind(arena, mark);
	return true;
}

bool mp_order_late(struct order_job *job, int rule)
{
	struct view view;

	return mp_order_keep(job, 0) &&
	       mp_order_view_init(
		       &view, job->graph, job->inplace, job->arena) &&
	       mp_order_late_move(&view, (enum late_rule)rule,
		       job->alternatives[0], job->arena);
}
