/*
 * What a search has found so far, its order and its bound, and the work that is
 * left.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "order/search/inside.h"

enum {
	TELL_EVERY = 10000, /* steps between reports of progress: about a
			       millisecond */
};

bool mp_order_search_init(struct search *s, const struct view *view,
	const uint32_t *order, uint64_t steps, struct arena *arena)
{
	enum {
		SET_WORDS = 1 << 23 /* 64 MiB */
	};
	uint32_t n = view->n_ops;

	*s = (struct search){.view = view,
		.budget = steps,
		.steps = steps,
		.set_words = SET_WORDS,
		.arena = arena};
	s->order = NEW(arena, uint32_t, n);
	s->place = NEW(arena, uint32_t, n);
	s->costs = NEW(arena, uint64_t, n);
	s->seen = NEW(arena, uint64_t, n);
	s->trial = NEW(arena, uint32_t, n);
	s->trial_costs = NEW(arena, uint64_t, n);
	s->members = NEW(arena, uint32_t, MOST_BOUND_OPS);
	if (!s->order || !s->place || !s->costs || !s->seen || !s->trial ||
		!s->trial_costs || !s->members ||
		!mp_order_cut_init(&s->cut, view, false, arena) ||
		!mp_order_live_init(&s->live, view, arena))
		return false;
	memset(s->seen, 0xff, sizeof(*s->seen) * n);
	memcpy(s->trial, order, sizeof(*order) * n);
	mp_order_search_accept(s, mp_order_search_measure(s));
	return true;
}

bool mp_order_search_init_within(struct search *inner, const struct search *s,
	const struct view *view, const uint32_t *order, uint64_t steps)
{
	if (!mp_order_search_init(inner, view, order, steps, s->arena))
		return false;
	inner->stop = s->stop;
	inner->watch = s->watch;
	inner->all_steps = s->all_steps;
	return true;
}

bool mp_order_search_step(struct search *s, uint64_t work)
{
	uint64_t left = s->steps - num_min(s->steps, work);

	if (s->steps / TELL_EVERY != left / TELL_EVERY)
		mp_watch_tell(&s->watch, 0);
	s->steps = left;
	if (s->stop && atomic_load_explicit(s->stop, memory_order_relaxed))
		s->steps = 0;
	return s->steps > 0;
}

bool mp_order_search_done(const struct search *s)
{
	return s->steps == 0 || s->peak <= s->bound.bytes ||
	       s->peak <= s->enough;
}

uint64_t mp_order_search_measure(struct search *s)
{
	uint64_t peak = mp_order_view_profile(
		s->view, s->trial, &s->live, s->trial_costs);

	for (uint32_t i = 0; i < s->view->n_ops; i++)
		s->seen[s->trial[i]] =
			num_min(s->seen[s->trial[i]], s->trial_costs[i]);
	mp_order_search_step(s, 1 + s->view->n_ops / OPS_A_STEP);
	return peak;
}

void mp_order_search_accept(struct search *s, uint64_t peak)
{
	uint32_t n = s->view->n_ops;

	assert(peak <= s->peak || s->peak == 0 || n == 0);
	memcpy(s->order, s->trial, sizeof(*s->order) * n);
	memcpy(s->costs, s->trial_costs, sizeof(*s->costs) * n);
	s->peak = peak;
	s->refined = false;
	for (uint32_t i = 0; i < n; i++)
		s->place[s->order[i]] = i;
}

void mp_order_search_offer_late(struct search *s)
{
	uint64_t peak;

	if (!s->late || mp_order_search_done(s))
		return;
	memcpy(s->trial, s->late, sizeof(*s->trial) * s->view->n_ops);
	peak = mp_order_search_measure(s);
	if (peak < s->peak)
		mp_order_search_accept(s, peak);
}

/* How many steps have the greatest cost. */
static uint32_t count_peaks(
	const struct search *s, const uint64_t *costs, uint64_t peak)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->view->n_ops; i++)
		n += costs[i] == peak;
	return n;
}

bool mp_order_search_take(struct search *s)
{
	uint64_t peak = mp_order_search_measure(s);

	if (peak > s->peak ||
		(peak == s->peak && count_peaks(s, s->trial_costs, peak) >=
					    count_peaks(s, s->costs, peak)))
		return false;
	mp_order_search_accept(s, peak);
	return true;
}

void mp_order_search_solve(struct search *s, uint64_t price, uint64_t limit)
{
	uint64_t before = s->cut.work, most = s->cut.most_steps;

	s->cut.most_steps = num_min(most, s->steps);
	mp_order_cut_solve(&s->cut, price, limit);
	s->cut.most_steps = most;
	mp_order_search_step(s, s->cut.work - before);
}

void mp_order_search_raise(struct search *s, struct order_bound bound)
{
	assert(bound.ops.n <= MOST_BOUND_OPS);
	if (bound.bytes <= s->bound.bytes)
		return;
	for (uint32_t i = 0; i < bound.ops.n; i++)
		s->members[i] = bound.ops.at[i];
	s->bound = bound;
	s->bound.ops.at = s->members;
}

void mp_order_search_prove(
	struct search *s, uint64_t bytes, struct ids ops, bool first)
{
	mp_order_search_raise(s, (struct order_bound){.bytes = bytes,
					 .kind = ops.n == 0   ? "search"
						 : ops.n == 1 ? "cut"
							      : "set",
					 .ops = ops,
					 .first = first});
}

void mp_order_search_prove_few(struct search *s, uint64_t bytes, struct ids ops)
{
	mp_order_search_raise(s,
		(struct order_bound){
			.bytes = bytes, .kind = ORDER_BOUND_FEW, .ops = ops});
}
