/*
 * Shifts: a local search by moves of many ops at once. In a range of steps
 * around one that costs too much, the ops that the last one waits for run
 * before all others, or those that wait for the first one run after all others.
 * Each part keeps its order, so the new order is legal, and only the costs in
 * the range change.
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
#include "order/search/inside.h"

#include <assert.h>
#include <string.h>

#include "base/prng.h"

enum {
	TARGET_PART = 32, /* of the gap between bound and peak lies above the
			     target: with all of it, shifts ended 7 % higher
			     than with this part of it */
	HEAT_PART = 4,	  /* of the gap is the first heat */
	RUNGS = 64,	  /* the heat sinks in so many rungs, as a square */
	SETTLE_PART = 4,  /* of the steps make lifetimes short, or */
	SETTLE_OP = 256,  /* so many an op, up to half of them: orders of many
			     ops got 3 to 9 % smaller arenas */
	WIDTHS = 9,	/* a range reaches less than 2, 4, ... 512 steps to each
			   side */
	STALE = 32,	/* steps at the peak are looked for so many times in as
			   many tries as there are ops */
	WORK_UNIT = 24, /* list entries visited in one step of a job */
	MOST_STEPS = 1 << 26, /* of a job: more bring next to nothing, */
	MOST_OP = 4096	      /* nor do more an op */
};

/* Of a tensor what a profile looks at, side by side. Marks are numbers of
 * tries. */
struct life {
	uint64_t size;
	uint32_t last;	  /* place of its last user */
	uint32_t dies;	  /* mark: it dies in the range that is tried, */
	uint32_t dies_at; /* there */
};

struct shifts {
	struct search *s;
	uint32_t *order;      /* as it is now */
	uint64_t *costs;      /* of its steps */
	uint64_t *after;      /* bytes alive behind a step */
	struct life *lives;   /* of tensors */
	uint64_t target;      /* no step should cost more */
	uint32_t n_above;     /* steps that do */
	uint32_t *hot, n_hot; /* those, as they were some tries ago */
	uint64_t random, work;

	/* Of the range that is tried. */
	uint32_t from, to;
	uint32_t *ops; /* of its steps */
	uint64_t *ops_costs, *ops_after;
	uint32_t try;
	uint32_t *moves;	    /* of an op: mark of one that moves */
	uint32_t *movers, n_movers; /* those, as they were found */
};

/* ---------------------------------------------------------- profile */

static uint64_t saved_inplace(const struct shifts *d, uint32_t op, uint32_t at)
{
	const struct view *view = d->s->view;
	uint64_t saved = 0;

	if (!view->pairs)
		return 0;
	for (uint32_t i = view->first_pair[op]; i < view->first_pair[op + 1];
		i++) {
		const struct life *input = &d->lives[view->pairs[i].input];

		if (input->dies == d->try && input->dies_at == at)
			saved += mp_order_view_shared(view, &view->pairs[i]);
	}
	return num_min(saved, view->out[op]);
}

/* Bytes of tensors that die at each step of the range, in d->ops_after. */
static void find_deaths(struct shifts *d)
{
	const struct view *view = d->s->view;

	for (uint32_t i = d->to + 1; i-- > d->from;) {
		struct ids inputs = mp_lists_at(&view->inputs, d->ops[i]);

		d->ops_after[i] = 0;
		d->work += inputs.n;
		for (uint32_t k = 0; k < inputs.n; k++) {
			struct life *life = &d->lives[inputs.at[k]];

			if (life->last > d->to || life->dies == d->try)
				continue;
			life->dies = d->try;
			life->dies_at = i;
			d->ops_after[i] += life->size;
		}
	}
}

/* The profile of the range. Where several pairs of an op compete, it may be too
 * low: what is found is measured. */
static void profile(struct shifts *d)
{
	const struct view *view = d->s->view;
	uint64_t now = d->from > 0 ? d->after[d->from - 1]
				   : view->always + view->at_start;

	find_deaths(d);
	for (uint32_t i = d->from; i <= d->to; i++) {
		uint32_t op = d->ops[i];

		d->ops_costs[i] = now + view->out[op] - saved_inplace(d, op, i);
		if (view->pinned)
			d->ops_costs[i] += view->pinned[i];
		now += view->out[op] - view->dead[op] - d->ops_after[i];
		d->ops_after[i] = now;
	}
	d->work += d->to - d->from;
}

/* Bytes above the level, summed over the range. */
static uint64_t excess(
	const struct shifts *d, const uint64_t *costs, uint64_t level)
{
	uint64_t sum = 0;

	for (uint32_t i = d->from; i <= d->to; i++)
		if (costs[i] > level && !num_add(sum, costs[i] - level, &sum))
			return NUM_MAX_BYTES;
	return sum;
}

static void accept(struct shifts *d)
{
	const struct view *view = d->s->view;

	for (uint32_t i = d->from; i <= d->to; i++) {
		uint32_t op = d->ops[i];
		struct ids inputs = mp_lists_at(&view->inputs, op);

		d->n_above -= d->costs[i] > d->target;
		d->n_above += d->ops_costs[i] > d->target;
		d->order[i] = op;
		d->costs[i] = d->ops_costs[i];
		d->after[i] = d->ops_after[i];
		for (uint32_t k = 0; k < inputs.n; k++) {
			struct life *life = &d->lives[inputs.at[k]];

			if (life->dies == d->try)
				life->last = life->dies_at;
		}
	}
}

/* ------------------------------------------------------------ moves */

static void mark(struct shifts *d, struct ids ops)
{
	for (uint32_t i = 0; i < ops.n; i++)
		d->moves[ops.at[i]] = d->try;
	d->work += ops.n;
}

/* Does the op at the step move? Then those move that it waits for, or that wait
 * for it. */
static bool moves(struct shifts *d, uint32_t at, bool first)
{
	uint32_t op = d->order[at];

	if (d->moves[op] != d->try)
		return false;
	mark(d, first ? d->s->view->ops[op].before
		      : d->s->view->ops[op].behind);
	d->movers[d->n_movers++] = op;
	return true;
}

/* What the last op of the range waits for moves to its start. */
static void pull(struct shifts *d)
{
	uint32_t others = d->to + 1;

	d->moves[d->order[d->to]] = d->try;
	for (uint32_t i = d->to + 1; i-- > d->from;)
		if (!moves(d, i, true))
			d->ops[--others] = d->order[i];
	assert(others == d->from + d->n_movers);
	for (uint32_t i = 0; i < d->n_movers; i++)
		d->ops[others - 1 - i] = d->movers[i];
}

/* What waits for its first op moves to its end. */
static void push(struct shifts *d)
{
	uint32_t others = d->from;

	d->moves[d->order[d->from]] = d->try;
	for (uint32_t i = d->from; i <= d->to; i++)
		if (!moves(d, i, false))
			d->ops[others++] = d->order[i];
	assert(others + d->n_movers == d->to + 1);
	for (uint32_t i = 0; i < d->n_movers; i++)
		d->ops[others + i] = d->movers[i];
}

/* ----------------------------------------------------------- search */

static uint64_t draw(struct shifts *d, uint64_t below)
{
	return mp_prng(&d->random) % below;
}

static void find_hot(struct shifts *d)
{
	d->n_hot = 0;
	for (uint32_t i = 0; i < d->s->view->n_ops; i++)
		if (d->costs[i] > d->target)
			d->hot[d->n_hot++] = i;
	d->work += d->s->view->n_ops;
}

static void set_target(struct shifts *d, uint64_t target)
{
	d->target = target;
	find_hot(d);
	d->n_above = d->n_hot;
}

/* A range around a step above the target, or anywhere if there is none. */
static void choose_range(struct shifts *d)
{
	uint32_t n = d->s->view->n_ops;
	uint64_t width = UINT64_C(2) << draw(d, WIDTHS);
	uint32_t at;

	if (d->n_above > 0 && (d->n_hot == 0 || d->try % (1 + n / STALE) == 0))
		find_hot(d);
	at = d->n_hot > 0 ? d->hot[draw(d, d->n_hot)] : (uint32_t)draw(d, n);
	d->from = at - (uint32_t)num_min(at, draw(d, width));
	d->to = (uint32_t)num_min(n - 1, at + draw(d, width));
}

/* Finds a range and a new order of its ops. False: it is the old one. */
static bool shift(struct shifts *d)
{
	d->try++;
	d->n_movers = 0;
	choose_range(d);
	if (draw(d, 2) > 0)
		pull(d);
	else
		push(d);
	d->work += WORK_UNIT + d->to - d->from;
	while (d->from <= d->to && d->ops[d->from] == d->order[d->from])
		d->from++;
	if (d->from > d->to)
		return false;
	while (d->ops[d->to] == d->order[d->to])
		d->to--;
	profile(d);
	return true;
}

/* Counts the work. False: the search is done, or steps down to here are spent.
 */
static bool may_go_on(struct shifts *d, uint64_t end)
{
	mp_order_search_step(d->s, d->work / WORK_UNIT);
	d->work %= WORK_UNIT;
	return !mp_order_search_done(d->s) && d->s->steps > end;
}

static void hand_over(struct shifts *d)
{
	struct search *s = d->s;

	memcpy(s->trial, d->order, sizeof(*s->trial) * s->view->n_ops);
	mp_order_search_take(s);
}

static uint64_t next_target(const struct search *s)
{
	return s->peak - 1 - (s->peak - 1 - s->bound.bytes) / TARGET_PART;
}

/* Tries until the heat is gone, which sinks with the steps that are left. */
static void anneal(struct shifts *d, uint64_t steps)
{
	const struct search *s = d->s;
	uint64_t end = s->steps - steps, all = (uint64_t)RUNGS * RUNGS;
	uint64_t most = num_min(
		(s->peak - s->bound.bytes) / HEAT_PART, UINT64_MAX / all);

	set_target(d, next_target(s));
	while (may_go_on(d, end)) {
		uint64_t rung = (s->steps - end) / (steps / RUNGS + 1);
		uint64_t heat = most * rung * rung / all;
		uint64_t before, now;

		if (!shift(d))
			continue;
		before = excess(d, d->costs, d->target);
		now = excess(d, d->ops_costs, d->target);
		if (now > before && (heat == 0 || now - before > draw(d, heat)))
			continue;
		accept(d);
		if (d->n_above > 0)
			continue;
		hand_over(d);
		if (!mp_order_search_done(s))
			set_target(d, next_target(s));
	}
}

/* Of orders with this peak, one with shorter lifetimes: by chance tensors came
 * to wait for long where that costs nothing, but is hard to pack. */
static void settle(struct shifts *d, uint64_t steps)
{
	const struct search *s = d->s;
	uint64_t end = s->steps - steps;

	set_target(d, s->peak);
	while (may_go_on(d, end))
		if (shift(d) && excess(d, d->ops_costs, d->target) == 0 &&
			excess(d, d->ops_costs, 0) < excess(d, d->costs, 0))
			accept(d);
}

/* Starts from the best order. */
static void begin(struct shifts *d)
{
	const struct search *s = d->s;
	struct ids inputs;

	memcpy(d->ops, s->order, sizeof(*d->ops) * s->view->n_ops);
	for (uint32_t i = 0; i < s->view->n_ops; i++) {
		inputs = mp_lists_at(&s->view->inputs, s->order[i]);
		for (uint32_t k = 0; k < inputs.n; k++)
			d->lives[inputs.at[k]].last = i;
	}
	d->from = 0;
	d->to = s->view->n_ops - 1;
	d->try++;
	profile(d);
	accept(d);
}

static bool init(struct shifts *d, struct search *s)
{
	uint32_t n = s->view->n_ops, n_tensors = s->view->n_tensors;
	struct arena *arena = s->arena;

	*d = (struct shifts){.s = s};
	d->order = NEW(arena, uint32_t, n);
	d->costs = NEW(arena, uint64_t, n);
	d->after = NEW(arena, uint64_t, n);
	d->lives = NEW(arena, struct life, n_tensors);
	d->hot = NEW(arena, uint32_t, n);
	d->ops = NEW(arena, uint32_t, n);
	d->ops_costs = NEW(arena, uint64_t, n);
	d->ops_after = NEW(arena, uint64_t, n);
	d->moves = NEW(arena, uint32_t, n);
	d->movers = NEW(arena, uint32_t, n);
	for (uint32_t t = 0; d->lives && t < n_tensors; t++)
		d->lives[t].size = s->view->size[t];
	return d->order && d->costs && d->after && d->lives && d->hot &&
	       d->ops && d->ops_costs && d->ops_after && d->moves && d->movers;
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
	uint64_t steps = num_min(s->steps / 3 * 2, most), peak;
	uint64_t settle_steps = settling(steps, s->view->n_ops);
	struct shifts d;

	if (mp_order_search_done(s))
		return true;
	if (!init(&d, s))
		return false;
	begin(&d);
	anneal(&d, steps - settle_steps);
	if (!mp_order_search_done(s)) {
		begin(&d);
		settle(&d, num_min(s->steps, settle_steps));
		memcpy(s->trial, d.order, sizeof(*s->trial) * s->view->n_ops);
		peak = mp_order_search_measure(s);
		if (peak <= s->peak)
			mp_order_search_accept(s, peak);
	}
	mp_arena_rewind(s->arena, mark);
	return true;
}
