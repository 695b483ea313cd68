/*
 * A local search by shifts, moves of many ops at once (see shift.h), in ranges
 * around steps that cost too much.
 *
 * What counts is the bytes above a target, which lies a little below the peak,
 * summed over the steps. More of them are accepted as long as they are fewer
 * than a number drawn by chance below the heat, which sinks to nothing
 * (simulated annealing: Kirkpatrick, Gelatt, Vecchi, Science 1983). When no
 * step is above the target, the order is the best so far, and the next target
 * is lower.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/prng.h"
#include "order/search/shift.h"

enum {
	TARGET_PART = 32, /* of the gap between bound and peak lies above the
			     target: with all of it, shifts ended 7 % higher
			     than with this part of it */
	HEAT_PART = 4,	  /* of the gap is the first heat */
	RUNGS = 64,	  /* the heat sinks in so many rungs, as a square */
	SETTLE_PART = 4,  /* of the steps make lifetimes short, or */
	SETTLE_OP = 256,  /* so many an op, up to half of them: orders of many
			     ops got 3 to 9 % smaller arenas */
	WIDTHS = 9, /* a range reaches less than 2, 4, ... 512 steps to each
		       side */
	STALE = 32, /* steps at the peak are looked for so many times in as
		       many tries as there are ops */
	MOST_STEPS = 1 << 26, /* of a job: more bring next to nothing, */
	MOST_OP = 4096,	      /* nor do more an op */
	FEW_OPS = 256 /* exact searches find as much there, and from orders of
			 fewer wasted shifts they prove 3 of 200 cells less */
};

struct annealing {
	struct search *s;
	struct shifts shifts;
	uint64_t target;      /* no step should cost more */
	uint32_t n_above;     /* steps that do */
	uint32_t *hot, n_hot; /* those, as they were some tries ago */
	uint64_t random;
};

/* ------------------------------------------------------------ costs */

/* Bytes above the target, summed over the range, in the order and in the one
 * that is tried: modulo 2^64, as of sizes near that they are a bad guide, and
 * no more than that. */
static void sum_excess(
	const struct annealing *a, uint64_t *before, uint64_t *now)
{
	const struct shifts *d = &a->shifts;
	uint64_t target = a->target;

	*before = *now = 0;
	for (uint32_t i = d->from; i <= d->to; i++) {
		*before += num_max(d->costs[i], target) - target;
		*now += num_max(d->ops_costs[i], target) - target;
	}
}

/* Is no step of the range above the target, and are lifetimes shorter? */
static bool is_shorter(const struct annealing *a)
{
	const struct shifts *d = &a->shifts;
	uint64_t more = 0; /* modulo 2^64 */

	for (uint32_t i = d->from; i <= d->to; i++) {
		if (d->ops_costs[i] > a->target)
			return false;
		more += d->ops_costs[i] - d->costs[i];
	}
	return more > UINT64_MAX / 2;
}

static void accept(struct annealing *a)
{
	const struct shifts *d = &a->shifts;

	for (uint32_t i = d->from; i <= d->to; i++) {
		a->n_above -= d->costs[i] > a->target;
		a->n_above += d->ops_costs[i] > a->target;
	}
	mp_order_shift_accept(&a->shifts);
}

/* ----------------------------------------------------------- search */

static uint64_t draw(struct annealing *a, uint64_t below)
{
	return mp_prng(&a->random) % below;
}

static void find_hot(struct annealing *a)
{
	a->n_hot = 0;
	for (uint32_t i = 0; i < a->s->view->n_ops; i++)
		if (a->shifts.costs[i] > a->target)
			a->hot[a->n_hot++] = i;
	a->shifts.work += a->s->view->n_ops;
}

static void set_target(struct annealing *a, uint64_t target)
{
	a->target = target;
	find_hot(a);
	a->n_above = a->n_hot;
}

/* What leaves more bytes alive does not run earlier, and what leaves fewer not
 * later, unless another op needs it: without it no step of such a shift costs
 * more. So the range does not end, or begin, with it. */
static void leave_out(
	const struct shifts *s, uint32_t *from, uint32_t *to, bool pulls)
{
	while (pulls && *to > *from && s->alive[*to + 1] > s->alive[*to])
		--*to;
	while (!pulls && *from < *to && s->alive[*from + 1] < s->alive[*from])
		++*from;
}

/* Tries a shift around a step above the target, or anywhere if there is none.
 * False: no op moves. */
static bool try_any(struct annealing *a)
{
	uint32_t n = a->s->view->n_ops, at, from, to;
	bool pulls = draw(a, 2) > 0;
	uint64_t width = UINT64_C(2) << draw(a, WIDTHS);

	if (a->n_above > 0 &&
		(a->n_hot == 0 || (a->shifts.try + 1) % (1 + n / STALE) == 0))
		find_hot(a);
	at = a->n_hot > 0 ? a->hot[draw(a, a->n_hot)] : (uint32_t)draw(a, n);
	from = at - (uint32_t)num_min(at, draw(a, width));
	to = (uint32_t)num_min(n - 1, at + draw(a, width));
	if (n > FEW_OPS)
		leave_out(&a->shifts, &from, &to, pulls);
	return mp_order_shift_try(&a->shifts, from, to, pulls);
}

/* Counts the work. False: the search is done, or steps down to here are spent.
 */
static bool may_go_on(struct annealing *a, uint64_t end)
{
	mp_order_search_step(a->s, a->shifts.work / SHIFT_WORK);
	a->shifts.work %= SHIFT_WORK;
	return !mp_order_search_done(a->s) && a->s->steps > end;
}

/* The costs, which were put together range by range, are those of the order,
 * which was measured last. */
static void check_profile(const struct annealing *a)
{
	const struct search *s = a->s;

	assert(s->view->pairs ||
		memcmp(a->shifts.costs, s->trial_costs,
			sizeof(*s->trial_costs) * s->view->n_ops) == 0);
	(void)s;
}

static void copy_to_trial(const struct annealing *a)
{
	const struct search *s = a->s;

	memcpy(s->trial, a->shifts.order, sizeof(*s->trial) * s->view->n_ops);
}

static uint64_t next_target(const struct search *s)
{
	return s->peak - 1 - (s->peak - 1 - s->bound.bytes) / TARGET_PART;
}

/* Tries until the heat is gone, which sinks with the steps that are left. */
static void anneal(struct annealing *a, uint64_t steps)
{
	struct search *s = a->s;
	uint64_t end = s->steps - steps, all = (uint64_t)RUNGS * RUNGS;
	uint64_t most = num_min(
		(s->peak - s->bound.bytes) / HEAT_PART, UINT64_MAX / all);

	set_target(a, next_target(s));
	while (may_go_on(a, end)) {
		uint64_t rung = (s->steps - end) / (steps / RUNGS + 1);
		uint64_t heat = most * rung * rung / all;
		uint64_t before, now;

		if (!try_any(a))
			continue;
		sum_excess(a, &before, &now);
		if (now > before && (heat == 0 || now - before > draw(a, heat)))
			continue;
		accept(a);
		if (a->n_above > 0)
			continue;
		copy_to_trial(a);
		mp_order_search_take(s);
		check_profile(a);
		if (!mp_order_search_done(s))
			set_target(a, next_target(s));
	}
}

/* Of orders with this peak, one with shorter lifetimes: by chance tensors came
 * to wait for long where that costs nothing, but is hard to pack. */
static void settle(struct annealing *a, uint64_t steps)
{
	struct search *s = a->s;
	uint64_t end = s->steps - steps, peak;

	set_target(a, s->peak);
	while (may_go_on(a, end))
		if (try_any(a) && is_shorter(a))
			accept(a);
	copy_to_trial(a);
	peak = mp_order_search_measure(s);
	check_profile(a);
	if (peak <= s->peak)
		mp_order_search_accept(s, peak);
}

/* Steps that make lifetimes short. */
static uint64_t settling(uint64_t steps, uint32_t n_ops)
{
	return num_max(steps / SETTLE_PART,
		num_min(steps / 2, (uint64_t)SETTLE_OP * n_ops));
}

bool mp_order_search_shift(struct search *s)
{
	struct arena_mark mark = mp_arena_mark(s->arena);
	uint64_t most = num_min(MOST_STEPS, (uint64_t)MOST_OP * s->view->n_ops);
	uint64_t steps = num_min(s->steps / 3 * 2, most);
	uint64_t settle_steps = settling(steps, s->view->n_ops);
	struct annealing a = {.s = s};

	if (mp_order_search_done(s))
		return true;
	a.hot = NEW(s->arena, uint32_t, s->view->n_ops);
	if (!a.hot || !mp_order_shift_init(&a.shifts, s))
		return false;
	mp_order_shift_begin(&a.shifts);
	anneal(&a, steps - settle_steps);
	if (!mp_order_search_done(s)) {
		mp_order_shift_begin(&a.shifts);
		settle(&a, num_min(s->steps, settle_steps));
	}
	mp_arena_rewind(s->arena, mark);
	return true;
}
