/*
 * Cut refinement. The new order runs first the minimum cut before the op at the
 * peak, then that op, then the ops down to the next valley (a set with few
 * bytes alive after it), then the other ops; each part in the order it had. No
 * step that stays on its side of the cut costs more, because the bytes alive
 * are a submodular function of the set of ops that have run.
 *
 * A price on every op on the way decides how near the valley is; several prices
 * are tried.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <assert.h>
#include <string.h>

/* Where an op goes in the new order. */
enum place {
	PLACE_SET,
	PLACE_PEAK,
	PLACE_VALLEY,
	PLACE_REST,
	N_PLACES,
};

enum {
	ROUNDS = 64,	 /* most rounds of a pass */
	PEAKS_TRIED = 3, /* most steps of greatest cost tried in a round */
	REACH = 8192,	 /* a valley is looked for among so many steps after the
			    peak: farther ones cost flows through all of a large
			    graph */
	FIRST_PRICE = 8, /* the first price is the peak divided by this */
	NEXT_PRICE = 6,	 /* each further price is the last divided by this, down
			    to 0: ten or so prices for a peak of megabytes */
};

struct refine {
	struct search *s;
	uint8_t *put;	 /* of an op: enum place */
	uint32_t *best;	 /* the best order of the round */
	uint64_t peak;	 /* its peak */
	uint64_t excess; /* bytes above the bound, summed over its steps */
	bool found;
};

static uint64_t excess_of(const struct search *s, const uint64_t *costs)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->view->n_ops; i++)
		if (costs[i] > s->bound.bytes &&
			!num_add(sum, costs[i] - s->bound.bytes, &sum))
			return UINT64_MAX;
	return sum;
}

/* Tries the order of the places. */
static void judge_places(struct refine *r)
{
	struct search *s = r->s;
	uint64_t peak, excess;
	uint32_t n = 0;

	for (uint32_t place = 0; place < N_PLACES; place++)
		for (uint32_t i = 0; i < s->view->n_ops; i++)
			if (r->put[s->order[i]] == place)
				s->trial[n++] = s->order[i];
	assert(n == s->view->n_ops);
	peak = mp_order_search_measure(s);
	if (peak > r->peak)
		return;
	excess = excess_of(s, s->trial_costs);
	if (peak == r->peak && excess >= r->excess)
		return;
	memcpy(r->best, s->trial, sizeof(*r->best) * s->view->n_ops);
	r->peak = peak;
	r->excess = excess;
	r->found = true;
}

/* The minimum cut before the op. Does the op cost less than the peak there? */
static bool find_set(struct refine *r, uint32_t op)
{
	struct search *s = r->s;

	mp_order_cut_op(&s->cut, op);
	mp_order_search_solve(s, 0, UINT64_MAX);
	for (uint32_t i = 0; i < s->view->n_ops; i++)
		r->put[i] = s->cut.in[i] ? PLACE_SET : PLACE_REST;
	r->put[op] = PLACE_PEAK;
	return !s->cut.gave_up &&
	       s->cut.value + mp_order_search_need(s, op) < s->peak;
}

/* Where the steps begin that are too far for a valley. None is in the set that
 * runs first: an op that it waits for is not behind it. */
static uint32_t reach_of(const struct refine *r)
{
	const struct search *s = r->s;
	uint32_t n = s->view->n_ops, last = 0;

	for (uint32_t i = 0; i < n; i++)
		if (r->put[s->order[i]] == PLACE_SET ||
			r->put[s->order[i]] == PLACE_PEAK)
			last = i;
	return n - last > REACH ? last + REACH : n;
}

/* The valley after the op at this price. */
static void find_valley(struct refine *r, uint64_t price)
{
	struct search *s = r->s;
	uint32_t n = s->view->n_ops;

	mp_order_cut_reset(&s->cut);
	for (uint32_t i = 0; i < n; i++)
		if (r->put[i] == PLACE_SET || r->put[i] == PLACE_PEAK)
			mp_order_cut_force_in(&s->cut, i);
	for (uint32_t i = reach_of(r); i < n; i++)
		mp_order_cut_force_out(&s->cut, s->order[i]);
	mp_order_search_solve(s, price, UINT64_MAX);
	for (uint32_t i = 0; i < n; i++)
		if (r->put[i] == PLACE_VALLEY || r->put[i] == PLACE_REST)
			r->put[i] = s->cut.in[i] ? PLACE_VALLEY : PLACE_REST;
}

static void try_peak(struct refine *r, uint32_t op)
{
	struct search *s = r->s;
	uint64_t price = s->peak / FIRST_PRICE;

	if (!find_set(r, op))
		return;
	judge_places(r);
	for (; price > 0 && !mp_order_search_done(s); price /= NEXT_PRICE) {
		find_valley(r, price);
		if (!s->cut.gave_up)
			judge_places(r);
	}
}

static void try_round(struct refine *r)
{
	struct search *s = r->s;
	uint32_t tried = 0;

	r->found = false;
	r->peak = s->peak;
	r->excess = excess_of(s, s->costs);
	for (uint32_t i = 0; i < s->view->n_ops && tried < PEAKS_TRIED; i++) {
		if (s->costs[i] != s->peak || r->found)
			continue;
		tried++;
		try_peak(r, s->order[i]);
	}
	if (!r->found)
		return;
	memcpy(s->trial, r->best, sizeof(*r->best) * s->view->n_ops);
	mp_order_search_accept(s, mp_order_search_measure(s));
}

bool mp_order_search_refine(struct search *s)
{
	struct arena_mark mark = mp_arena_mark(s->arena);
	struct refine r = {.s = s};
	bool done;

	r.put = NEW(s->arena, uint8_t, s->view->n_ops);
	r.best = NEW(s->arena, uint32_t, s->view->n_ops);
	done = r.put && r.best;
	for (uint32_t i = 0;
		done && i < ROUNDS && !s->refined && !mp_order_search_done(s);
		i++) {
		try_round(&r);
		s->refined = !r.found && s->steps > 0;
	}
	mp_arena_rewind(s->arena, mark);
	return done;
}
