/*
 * Late ops: they move to just before their first consumer.
 *
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
 * Ascend's delay pass goes first to last: an op that reads only variables,
 * constants and data of the run moves, and the chain of ops behind it too, as
 * long as every further link reads one tensor only. A link with several
 * consumers is the last of its chain. No op moves by less than two places.
 *
 * SPDX-License-Identifier: MIT
 */

#include <assert.h>

#include "order/inside.h"
#include "order/rows.h"

/* Ops that move: each slot of an order has a list of those that are there. */
struct slots {
	uint32_t *place; /* of an op: its slot, which others may share */
	uint32_t *head;	 /* of a slot: first op there; NONE: moved away */
	uint32_t *next;	 /* of an op: the one behind it in its slot */
};

static bool init_slots(
	struct slots *s, const uint32_t *order, uint32_t n, struct arena *arena)
{
	s->place = NEW(arena, uint32_t, n);
	s->head = NEW(arena, uint32_t, n);
	s->next = NEW(arena, uint32_t, n);
	if (!s->place || !s->head || !s->next)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		s->place[order[i]] = i;
		s->head[i] = order[i];
		s->next[i] = NONE;
	}
	return true;
}

/* The first slot of an op behind this one, if it is not the next slot; or
 * NONE. */
static uint32_t slot_behind(
	const struct slots *s, struct ids behind, uint32_t slot)
{
	uint32_t first = NONE;

	for (uint32_t i = 0; i < behind.n; i++)
		if (s->place[behind.at[i]] < first)
			first = s->place[behind.at[i]];
	return first > slot + 1 ? first : NONE;
}

/* Moves all ops of a slot, the last of which stood there, in front of those of
 * a later slot. */
static void move_slot(
	struct slots *s, uint32_t last, uint32_t from, uint32_t to)
{
	assert(from < to && s->head[from] != NONE && s->head[to] != NONE);
	s->next[last] = s->head[to];
	s->head[to] = s->head[from];
	s->head[from] = NONE;
	s->place[last] = to;
}

static void list_slots(const struct slots *s, uint32_t *order, uint32_t n)
{
	uint32_t filled = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t op = s->head[i]; op != NONE; op = s->next[op])
			order[filled++] = op;
	assert(filled == n);
}

/* -------------------------------------------------- ops and tensors */

struct late {
	const struct view *view;
	enum late_rule rule;
	const uint32_t *order;
	struct slots slots;
	uint32_t *last; /* of a tensor: slot of its last user */
};

/* How many tensors that the op reads live to the slot or beyond? */
static uint32_t count_living(const struct late *l, uint32_t op, uint32_t slot)
{
	struct ids inputs = mp_lists_at(&l->view->inputs, op);
	uint32_t n = 0;

	for (uint32_t i = 0; i < inputs.n; i++)
		n += l->last[inputs.at[i]] >= slot;
	return n;
}

/* May the op move to just before the slot's own op? */
static bool may_move(const struct late *l, uint32_t op, uint32_t slot)
{
	const struct view *view = l->view;
	uint32_t owner = l->order[slot];
	uint32_t n_inputs = mp_lists_at(&view->inputs, op).n;

	switch (l->rule) {
	case LATE_FIXED:
		return n_inputs == 0;
	case LATE_DYNAMIC:
		return n_inputs == 0 || count_living(l, op, slot + 1) > 0;
	case LATE_SAFE:
		return view->dead[op] + view->credit[owner] <=
			       view->out[owner] &&
		       count_living(l, op, slot) == n_inputs;
	}
	return false;
}

static void move_op(struct late *l, uint32_t op, uint32_t from, uint32_t to)
{
	struct ids inputs = mp_lists_at(&l->view->inputs, op);

	for (uint32_t i = 0; i < inputs.n; i++)
		if (l->last[inputs.at[i]] < to)
			l->last[inputs.at[i]] = to;
	move_slot(&l->slots, op, from, to);
}

bool mp_order_late_move(const struct view *view, enum late_rule rule,
	uint32_t *order, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct late l = {.view = view, .rule = rule, .order = order};
	uint32_t n = view->n_ops, to;

	l.last = NEW(arena, uint32_t, view->n_tensors);
	if (!l.last || !init_slots(&l.slots, order, n, arena))
		return false;
	mp_order_view_last_users(view, l.slots.place, l.last);
	for (uint32_t i = n; i-- > 0;) {
		to = slot_behind(
			&l.slots, mp_lists_at(&view->behind, order[i]), i);
		if (to != NONE && may_move(&l, order[i], to))
			move_op(&l, order[i], i, to);
	}
	list_slots(&l.slots, order, n);
	mp_arena_rewind(arena, mark);
	return true;
}

bool mp_order_late(struct order_job *job, int rule)
{
	return mp_order_keep(job, 0) && mp_order_view(job) &&
	       mp_order_late_move(job->view, (enum late_rule)rule,
		       job->alternatives[0], job->arena);
}

/* --------------------------------------------------- Ascend's delay */

static bool reads_long_lived_only(const struct graph *graph, uint32_t op)
{
	const struct ids *inputs = &graph->ops[op].inputs;

	for (uint32_t i = 0; i < inputs->n; i++)
		if (graph->tensors[inputs->at[i]].producer != NONE)
			return false;
	return inputs->n > 0;
}

bool mp_order_delay_ascend(
	const struct graph *graph, uint32_t *order, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	bool *stays = NEW(arena, bool, graph->n_ops); /* of a slot */
	struct slots slots;

	if (!stays || !init_slots(&slots, order, graph->n_ops, arena))
		return false;
	for (uint32_t i = 0; i < graph->n_ops; i++) {
		const struct op *op = &graph->ops[order[i]];
		bool alone = slots.head[i] == order[i];
		uint32_t to = slot_behind(&slots, op->behind, i);

		if (to == NONE || stays[i] ||
			!(alone ? reads_long_lived_only(graph, order[i])
				: op->inputs.n == 1))
			continue;
		stays[to] |= op->behind.n > 1;
		move_slot(&slots, order[i], i, to);
	}
	list_slots(&slots, order, graph->n_ops);
	mp_arena_rewind(arena, mark);
	return true;
}
