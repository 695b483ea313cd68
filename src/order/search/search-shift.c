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
	WORK_UNIT = 16, /* list entries visited in one step of a job */
	MOST_STEPS = 1 << 26, /* of a job: more bring next to nothing, */
	MOST_OP = 4096	      /* nor do more an op */
};

/* Of a tensor. Marks are numbers of tries. */
struct life {
	uint64_t size;
	uint32_t last;	  /* its last user */
	uint32_t dies;	  /* mark: it dies elsewhere in the order tried, */
	uint32_t dies_at; /* at the op that has this step now */
};

/* A tensor that dies at another op. */
struct change {
	uint32_t tensor, from, to; /* steps */
};

struct shifts {
	struct search *s;
	uint32_t *order;      /* as it is now */
	uint32_t *place;      /* of an op in it */
	uint64_t *costs;      /* of its steps */
	uint64_t *alive;      /* bytes before a step; and behind the last one */
	struct life *lives;   /* of tensors */
	uint64_t target;      /* no step should cost more */
	uint32_t n_above;     /* steps that do */
	uint32_t *hot, n_hot; /* those, as they were some tries ago */
	uint64_t random, work;

	/* Of the range that is tried. */
	uint32_t from, to;
	uint32_t *ops;			 /* of its steps */
	uint64_t *ops_costs, *ops_alive; /* costs, and bytes behind a step */
	uint32_t try;
	uint32_t *moves;	    /* of a step now: mark of one that moves */
	uint32_t *movers, n_movers; /* those, in this order */
	struct change *changes;
	uint32_t n_changes;
	/* What changes add to the bytes behind a step of now, and to its cost
	 * beside: modulo 2^64; 0 between tries. */
	uint64_t *gain, *extra;
};

/* ---------------------------------------------------------- profile */

static bool dies_at(const struct shifts *d, uint32_t tensor, uint32_t at)
{
	const struct life *life = &d->lives[tensor];

	return life->dies == d->try ? life->dies_at == at
				    : life->last == d->order[at];
}

/* What in-place pairs save at a step of now, with the changes. Where several
 * pairs of an op compete, it may be too much: what is found is measured. */
static uint64_t saved_inplace(const struct shifts *d, uint32_t at)
{
	const struct view *view = d->s->view;
	uint32_t op = d->order[at];
	uint64_t saved = 0;

	if (!view->pairs)
		return 0;
	for (uint32_t i = view->first_pair[op]; i < view->first_pair[op + 1];
		i++)
		if (dies_at(d, view->pairs[i].input, at))
			saved += mp_order_view_shared(view, &view->pairs[i]);
	return num_min(saved, view->out[op]);
}

static uint64_t cost_at(const struct shifts *d, uint32_t at)
{
	const struct view *view = d->s->view;

	return d->alive[at] + view->out[d->order[at]] - saved_inplace(d, at) +
	       (view->pinned ? view->pinned[at] : 0);
}

/* The profile of the order as it is. */
static void profile(struct shifts *d)
{
	const struct view *view = d->s->view;

	d->alive[0] = view->always + view->at_start;
	for (uint32_t i = 0; i < view->n_ops; i++) {
		uint32_t op = d->order[i];
		struct ids inputs = mp_lists_at(&view->inputs, op);

		d->costs[i] = cost_at(d, i);
		d->alive[i + 1] = d->alive[i] + view->out[op] - view->dead[op];
		for (uint32_t k = 0; k < inputs.n; k++)
			if (dies_at(d, inputs.at[k], i))
				d->alive[i + 1] -= d->lives[inputs.at[k]].size;
	}
}

/* Bytes above the target, summed over the range, modulo 2^64: of sizes near
 * that it is a bad guide, and no more than that. */
static uint64_t excess(const struct shifts *d, const uint64_t *costs)
{
	uint64_t sum = 0;

	for (uint32_t i = d->from; i <= d->to; i++)
		sum += num_max(costs[i], d->target) - d->target;
	return sum;
}

/* Is no step of the range above the target, and are lifetimes shorter? */
static bool is_shorter(const struct shifts *d)
{
	uint64_t more = 0; /* modulo 2^64 */

	for (uint32_t i = d->from; i <= d->to; i++) {
		if (d->ops_costs[i] > d->target)
			return false;
		more += d->ops_costs[i] - d->costs[i];
	}
	return more > UINT64_MAX / 2;
}

static void accept(struct shifts *d)
{
	size_t n = d->to - d->from + 1;

	for (uint32_t i = 0; i < d->n_changes; i++)
		d->lives[d->changes[i].tensor].last =
			d->order[d->changes[i].to];
	for (uint32_t i = d->from; i <= d->to; i++) {
		d->n_above -= d->costs[i] > d->target;
		d->n_above += d->ops_costs[i] > d->target;
		d->place[d->ops[i]] = i;
	}
	memcpy(d->order + d->from, d->ops + d->from, n * sizeof(*d->order));
	memcpy(d->costs + d->from, d->ops_costs + d->from,
		n * sizeof(*d->costs));
	memcpy(d->alive + d->from + 1, d->ops_alive + d->from,
		n * sizeof(*d->alive));
}

/* ---------------------------------------------------------- changes */

/*
 * The others keep their order, and so do those that move. So a tensor dies at
 * another op only if some of each use it.
 */

static void change_death(
	struct shifts *d, uint32_t tensor, uint32_t from, uint32_t to)
{
	struct life *life = &d->lives[tensor];

	life->dies = d->try;
	life->dies_at = to;
	d->gain[from] += life->size;
	d->gain[to] -= life->size;
	d->changes[d->n_changes++] = (struct change){tensor, from, to};
}

/* The last user in the range that does not move; NONE: there is none. */
static uint32_t last_other(struct shifts *d, uint32_t tensor)
{
	struct ids users = mp_lists_at(&d->s->view->users, tensor);
	uint32_t last = NONE;

	for (uint32_t i = 0; i < users.n; i++) {
		uint32_t at = d->place[users.at[i]];

		if (at >= d->from && at <= d->to && d->moves[at] != d->try &&
			(last == NONE || at > last))
			last = at;
	}
	d->work += users.n;
	return last;
}

/* Those that move run first: what dies at one of them may die at another op. */
static void change_pulled(struct shifts *d, uint32_t at)
{
	struct ids inputs = mp_lists_at(&d->s->view->inputs, d->order[at]);
	uint32_t other;

	for (uint32_t k = 0; k < inputs.n; k++) {
		if (d->lives[inputs.at[k]].last != d->order[at])
			continue;
		other = last_other(d, inputs.at[k]);
		if (other != NONE)
			change_death(d, inputs.at[k], at, other);
	}
	d->work += inputs.n;
}

/* They run last: the last one that uses what dies at another op has it now. */
static void change_pushed(struct shifts *d, uint32_t at)
{
	struct ids inputs = mp_lists_at(&d->s->view->inputs, d->order[at]);

	for (uint32_t k = 0; k < inputs.n; k++) {
		const struct life *life = &d->lives[inputs.at[k]];
		uint32_t last = d->place[life->last];

		if (last <= d->to && d->moves[last] != d->try &&
			last >= d->from && life->dies != d->try)
			change_death(d, inputs.at[k], last, at);
	}
	d->work += inputs.n;
}

/* Where pairs save other bytes than before. */
static void change_saved(struct shifts *d)
{
	for (uint32_t i = 0; i < 2 * d->n_changes; i++) {
		const struct change *change = &d->changes[i / 2];
		uint32_t at = i % 2 ? change->from : change->to;

		d->extra[at] = cost_at(d, at) - d->costs[at];
	}
}

static void forget_changes(struct shifts *d)
{
	for (uint32_t i = 0; i < d->n_changes; i++) {
		const struct change *change = &d->changes[i];

		d->gain[change->from] = d->gain[change->to] = 0;
		d->extra[change->from] = d->extra[change->to] = 0;
	}
	d->n_changes = 0;
}

/* ------------------------------------------------------------ moves */

static void mark(struct shifts *d, struct ids ops)
{
	for (uint32_t i = 0; i < ops.n; i++)
		d->moves[d->place[ops.at[i]]] = d->try;
	d->work += ops.n;
}

/* Finds what the last op of the range waits for, backward. */
static void find_pulled(struct shifts *d)
{
	d->moves[d->to] = d->try;
	for (uint32_t i = d->to + 1; i-- > d->from;)
		if (d->moves[i] == d->try) {
			mark(d, d->s->view->ops[d->order[i]].before);
			d->movers[d->n_movers++] = i;
		}
}

/* Finds what waits for its first op. */
static void find_pushed(struct shifts *d)
{
	d->moves[d->from] = d->try;
	for (uint32_t i = d->from; i <= d->to; i++)
		if (d->moves[i] == d->try) {
			mark(d, d->s->view->ops[d->order[i]].behind);
			d->movers[d->n_movers++] = i;
		}
}

/* Puts the op with this step now at a step, behind so many bytes. Returns those
 * behind it. */
static inline uint64_t put(
	struct shifts *d, uint32_t at, uint32_t to, uint64_t now)
{
	now -= d->alive[at];
	d->ops[to] = d->order[at];
	d->ops_costs[to] = d->costs[at] + d->extra[at] + now;
	now += d->alive[at + 1] + d->gain[at];
	d->ops_alive[to] = now;
	return now;
}

static uint64_t put_others(struct shifts *d, uint32_t to, uint64_t now)
{
	for (uint32_t i = d->from; i <= d->to; i++)
		if (d->moves[i] != d->try)
			now = put(d, i, to++, now);
	return now;
}

/* What the last op of the range waits for moves to its start. */
static void pull(struct shifts *d)
{
	uint64_t now = d->alive[d->from];

	for (uint32_t i = 0; i < d->n_movers; i++)
		now = put(d, d->movers[d->n_movers - 1 - i], d->from + i, now);
	put_others(d, d->from + d->n_movers, now);
}

/* What waits for its first op moves to its end. */
static void push(struct shifts *d)
{
	uint64_t now = put_others(d, d->from, d->alive[d->from]);

	for (uint32_t i = 0; i < d->n_movers; i++)
		now = put(d, d->movers[i], d->to + 1 - d->n_movers + i, now);
}

/* Pinned bytes belong to a step, whatever op it has. */
static void stay_pinned(struct shifts *d)
{
	const uint64_t *pinned = d->s->view->pinned;

	for (uint32_t i = d->from; pinned && i <= d->to; i++)
		d->ops_costs[i] += pinned[i] - pinned[d->place[d->ops[i]]];
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

/* Those that move and are at that end of the range stay. */
static void trim_range(struct shifts *d, bool pulls)
{
	while (d->n_movers > 0 && pulls &&
		d->movers[d->n_movers - 1] == d->from) {
		d->n_movers--;
		d->from++;
	}
	while (d->n_movers > 0 && !pulls &&
		d->movers[d->n_movers - 1] == d->to) {
		d->n_movers--;
		d->to--;
	}
}

/* Finds a range and a new order of its ops. False: it is the old one. */
static bool shift(struct shifts *d)
{
	bool pulls;

	d->try++;
	d->n_movers = 0;
	choose_range(d);
	pulls = draw(d, 2) > 0;
	d->work += WORK_UNIT + d->to - d->from;
	if (pulls)
		find_pulled(d);
	else
		find_pushed(d);
	trim_range(d, pulls);
	if (d->n_movers == 0)
		return false;
	forget_changes(d);
	for (uint32_t i = 0; i < d->n_movers; i++)
		if (pulls)
			change_pulled(d, d->movers[i]);
		else
			change_pushed(d, d->movers[d->n_movers - 1 - i]);
	if (d->s->view->pairs)
		change_saved(d);
	if (pulls)
		pull(d);
	else
		push(d);
	stay_pinned(d);
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

/* The costs, which were put together range by range, are those of the order,
 * which was measured last. */
static void check_profile(const struct shifts *d)
{
	assert(d->s->view->pairs ||
		memcmp(d->costs, d->s->trial_costs,
			sizeof(*d->costs) * d->s->view->n_ops) == 0);
	(void)d;
}

static void hand_over(struct shifts *d)
{
	struct search *s = d->s;

	memcpy(s->trial, d->order, sizeof(*s->trial) * s->view->n_ops);
	mp_order_search_take(s);
	check_profile(d);
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
		before = excess(d, d->costs);
		now = excess(d, d->ops_costs);
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
		if (shift(d) && is_shorter(d))
			accept(d);
}

/* Starts from the best order. */
static void begin(struct shifts *d)
{
	const struct search *s = d->s;
	struct ids inputs;

	d->try++;
	forget_changes(d);
	memcpy(d->order, s->order, sizeof(*d->order) * s->view->n_ops);
	memcpy(d->place, s->place, sizeof(*d->place) * s->view->n_ops);
	for (uint32_t i = 0; i < s->view->n_ops; i++) {
		inputs = mp_lists_at(&s->view->inputs, s->order[i]);
		for (uint32_t k = 0; k < inputs.n; k++)
			d->lives[inputs.at[k]].last = s->order[i];
	}
	profile(d);
}

static bool init(struct shifts *d, struct search *s)
{
	uint32_t n = s->view->n_ops, n_tensors = s->view->n_tensors;
	struct arena *arena = s->arena;

	*d = (struct shifts){.s = s};
	d->order = NEW(arena, uint32_t, n);
	d->place = NEW(arena, uint32_t, n);
	d->costs = NEW(arena, uint64_t, n);
	d->alive = NEW(arena, uint64_t, (size_t)n + 1);
	d->lives = NEW(arena, struct life, n_tensors);
	d->hot = NEW(arena, uint32_t, n);
	d->ops = NEW(arena, uint32_t, n);
	d->ops_costs = NEW(arena, uint64_t, n);
	d->ops_alive = NEW(arena, uint64_t, n);
	d->moves = NEW(arena, uint32_t, n);
	d->movers = NEW(arena, uint32_t, n);
	d->changes = NEW(arena, struct change, n_tensors);
	d->gain = NEW(arena, uint64_t, n);
	d->extra = NEW(arena, uint64_t, n);
	for (uint32_t t = 0; d->lives && t < n_tensors; t++)
		d->lives[t] =
			(struct life){.size = s->view->size[t], .last = NONE};
	return d->order && d->place && d->costs && d->alive && d->lives &&
	       d->hot && d->ops && d->ops_costs && d->ops_alive && d->moves &&
	       d->movers && d->changes && d->gain && d->extra;
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
		check_profile(&d);
		if (peak <= s->peak)
			mp_order_search_accept(s, peak);
	}
	mp_arena_rewind(s->arena, mark);
	return true;
}
