/*
 * Stabilising: moves an order back towards that of the input, so that caches,
 * prefetches and readers of the order see few changes. It is an insertion sort:
 * two neighbours that are in the wrong order are swapped if neither costs more
 * than the cap at its new step.
 *
 * A swap changes the bytes alive only between the two ops, so trying it takes a
 * look at their inputs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/inside.h"

#include <assert.h>
#include <string.h>

enum {
	INPUTS_A_TRY = 8, /* inputs of both ops that count as one more try, so
			     that ops with thousands of inputs do not take
			     quadratic time */
};

struct stabiliser {
	const struct view *view;
	uint64_t cap;
	uint32_t *order;
	uint32_t *wanted; /* of an op: its place in the wanted order */
	uint32_t *place;  /* of an op: its place now */
	uint32_t *last;	  /* of a tensor: place of its last user */
	uint64_t *after;  /* bytes alive behind a step */
};

/* An op and the step that it would move to. */
struct spot {
	uint32_t op, step;
	uint32_t last;	/* ops after this step stay after it */
	uint32_t later; /* the op up to there that would run after it, or
			   NONE */
};

/* Does the input die at the op? */
static bool dies(
	const struct stabiliser *s, const struct spot *spot, uint32_t t)
{
	return s->last[t] <= spot->last &&
	       (spot->later == NONE ||
		       !mp_order_view_reads(s->view, spot->later, t));
}

static uint64_t freed_bytes(const struct stabiliser *s, const struct spot *spot)
{
	struct ids inputs = mp_lists_at(&s->view->inputs, spot->op);
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < inputs.n; i++)
		if (dies(s, spot, inputs.at[i]))
			bytes += s->view->size[inputs.at[i]];
	return bytes;
}

static uint64_t cost_at(
	const struct stabiliser *s, const struct spot *spot, uint64_t before)
{
	const struct view *view = s->view;
	uint64_t bytes = before + view->out[spot->op];

	if (view->pinned)
		bytes += view->pinned[spot->step];
	if (!view->pairs)
		return bytes;
	for (uint32_t i = view->first_pair[spot->op];
		i < view->first_pair[spot->op + 1]; i++)
		if (dies(s, spot, view->pairs[i].input))
			bytes -= mp_order_view_shared(view, &view->pairs[i]);
	return bytes;
}

/* Swaps the two ops. The later one is the last user of inputs of both. */
static void swap_ops(struct stabiliser *s, const struct spot *first,
	const struct spot *second)
{
	struct ids inputs = mp_lists_at(&s->view->inputs, first->op);

	for (uint32_t i = 0; i < inputs.n; i++)
		if (dies(s, first, inputs.at[i]))
			s->last[inputs.at[i]] = first->step;
	inputs = mp_lists_at(&s->view->inputs, second->op);
	for (uint32_t i = 0; i < inputs.n; i++)
		if (s->last[inputs.at[i]] < second->step)
			s->last[inputs.at[i]] = second->step;
	assert(first->step + 1 == second->step);
	s->order[first->step] = first->op;
	s->order[second->step] = second->op;
	s->place[first->op] = first->step;
	s->place[second->op] = second->step;
}

/* Swaps the op at the step with the one before it, if the cap allows. */
static bool try_swap(struct stabiliser *s, uint32_t step)
{
	const struct view *view = s->view;
	struct spot second = {s->order[step - 1], step, step, NONE};
	struct spot first = {s->order[step], step - 1, step, second.op};
	uint64_t before =
		step > 1 ? s->after[step - 2] : view->always + view->at_start;
	uint64_t between;

	assert(step > 0 && step < view->n_ops);
	if (mp_lists_contain(mp_lists_at(&view->before, first.op), second.op) ||
		cost_at(s, &first, before) > s->cap)
		return false;
	between = before + view->out[first.op] - view->dead[first.op] -
		  freed_bytes(s, &first);
	if (cost_at(s, &second, between) > s->cap)
		return false;
	swap_ops(s, &first, &second);
	s->after[step - 1] = between;
	return true;
}

static bool init_stabiliser(struct stabiliser *s, const uint32_t *wanted,
	struct live *live, struct arena *arena)
{
	const struct view *view = s->view;

	s->wanted = NEW(arena, uint32_t, view->n_ops);
	s->place = NEW(arena, uint32_t, view->n_ops);
	s->last = NEW(arena, uint32_t, view->n_tensors);
	s->after = NEW(arena, uint64_t, view->n_ops);
	if (!s->wanted || !s->place || !s->last || !s->after)
		return false;
	mp_order_live_reset(live, view);
	for (uint32_t i = 0; i < view->n_ops; i++) {
		s->wanted[wanted[i]] = i;
		s->place[s->order[i]] = i;
		mp_order_live_run(live, view, s->order[i]);
		s->after[i] = live->now;
	}
	mp_order_view_last_users(view, s->place, s->last);
	return true;
}

/* Trying a swap looks at all inputs of both ops. */
static uint64_t effort(const struct stabiliser *s, uint32_t step)
{
	return 1 +
	       (mp_lists_at(&s->view->inputs, s->order[step]).n +
		       mp_lists_at(&s->view->inputs, s->order[step - 1]).n) /
		       INPUTS_A_TRY;
}

/* Each op, first to last, moves forward as far as possible. False if none
 * moved. */
static bool sweep(struct stabiliser *s, uint64_t *tries)
{
	bool moved = false;

	for (uint32_t i = 1; i < s->view->n_ops; i++)
		for (uint32_t k = i; k > 0 && *tries > 0; k--) {
			if (s->wanted[s->order[k - 1]] < s->wanted[s->order[k]])
				break;
			*tries -= num_min(*tries, effort(s, k));
			if (!try_swap(s, k))
				break;
			moved = true;
		}
	return moved;
}

bool mp_order_stabilise(const struct view *view, const uint32_t *wanted,
	uint64_t cap, uint64_t *tries, struct live *live, uint32_t *order,
	struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *tried = NEW(arena, uint32_t, view->n_ops);
	struct stabiliser s = {.view = view, .cap = cap, .order = tried};

	if (!tried)
		return false;
	memcpy(tried, order, sizeof(*order) * view->n_ops);
	if (!init_stabiliser(&s, wanted, live, arena))
		return false;
	while (*tries > 0 && sweep(&s, tries))
		;
	if (mp_order_view_profile(view, tried, live, NULL) <= cap)
		memcpy(order, tried, sizeof(*order) * view->n_ops);
	mp_arena_rewind(arena, mark);
	return true;
}
