/*
 * pad: joins buffers that nearly fill a rectangle of steps and bytes (see
 * compounds.h), and again what comes of it. The smaller of two is padded where
 * the load has room for that, up to a little above the lower bound; auto plans
 * what is left. So what was packed with a few free bytes is put together again,
 * where joins without waste find nothing that fits. What has fixed offsets in
 * it slides within its free bytes (see slides.h).
 *
 * What wastes least is joined first. Then come repairs, as in jigsaw: a
 * compound takes a partner that is buried in another one, or some that begin or
 * end where it does are taken out; what that leaves is joined again, and stays
 * if no more compounds are left than before, or by chance if few more are
 * (simulated annealing: Kirkpatrick, Gelatt, Vecchi, Science 220, 1983).
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>

#include "base/num.h"
#include "base/prng.h"
#include "base/sort.h"
#include "planners/ahead.h"
#include "planners/plain/anneal.h"
#include "planners/plain/compounds.h"
#include "planners/plain/loads.h"
#include "planners/plain/rest.h"
#include "planners/plain/slides.h"

enum {
	LEAST_FREE = 4096, /* one byte of so many is free, */
	MOST_FREE = 8,	   /* and not one of so many */
	ENOUGH = 100,	   /* steps a buffer; with less it ends nowhere */
	FIRST_ROOM = 6,	   /* loads may be a 64th of the bound above it, */
	LEAST_ROOM = 9,	   /* later as little as a 512th, */
	MOST_ROOM = 5,	   /* or a 32nd */
	AREA_BITS = 30,	   /* of the limit in the unit of areas */
	WASTE_BITS = 20,   /* of waste over the smaller area of two */
	LEAST_WASTE = 6,   /* a 64th is allowed at first, */
	MOST_WASTE = 1,	   /* half at last, */
	REPAIR_WASTE = 32, /* and in repairs the smaller so many times */
	LOOKS = 48,	   /* at a list */
	AT_ONCE = 1024,	   /* that are joined together, or more */
	GROUP = 64,	   /* that are repaired together */
	DRAWN = 2,	   /* of these, of which the smallest is repaired */
	SOME_ONE_IN = 3,   /* repairs that take out some, */
	MOST_TAKEN = 8,	   /* at most so many */
	HOT = 60,	   /* 256ths of a compound that one of two may lose, */
	COLD = 20,	   /* and once there were */
	COOL = 400,	   /* steps of repairs a buffer */
	PATIENCE = 200,	   /* repairs in vain for each that is left */
	TRIAL = 32,	   /* steps of repairs a buffer, */
	TRIALS = 32,	   /* or a part of the budget, after which */
	GAIN = 5,	   /* one of so many is gone, */
	EACH = 4000, /* and so many steps are there for each that is left, or it
			is in vain */
	KEPT = 4,    /* a part of the budget, to plan the rest */
	REST = 3000, /* steps for each that is left, likewise, */
	MOST_REST = 20000,    /* or so many where the budget has them; */
	LOWER = 4,	      /* times as many then make the plan lower */
	ATTEMPT = 700,	      /* steps a buffer, enough for one */
	FEW = 8,	      /* buffers for each that is left to be planned, */
	FEW_LEFT = 64,	      /* or so many in all */
	IN_VAIN = 3,	      /* attempts, once the plan is near the bound */
	AMPLE = 16000,	      /* steps for each that is joined no more */
	WORTH_IT = 2,	      /* buffers for each that is left at first, */
	JOINED = 2500,	      /* and so many steps; */
	NEXT_TO_NOTHING = 100 /* buffers for each */
};

/* How one compound lies beside another: as it should be, or with a free range
 * beside it, or a few steps later or earlier, so that steps are padded too. */
static const struct side {
	enum compound_list list; /* where the other is found */
	enum join how;
	bool is_second;	 /* the one; the other is the first */
	int shift;	 /* steps that the other is later */
	uint32_t longer; /* steps that one of a stack may live longer */
} sides[] = {
	{OF_START, JOIN_CHAIN, false, 0, 0},
	{OF_END, JOIN_CHAIN, true, 0, 0},
	{OF_SPAN, JOIN_STACK, false, 0, 0},
	{OF_START, JOIN_STACK, false, 0, UINT32_MAX},
	{OF_END, JOIN_STACK, false, 0, UINT32_MAX},
	{OF_START, JOIN_CHAIN, false, 1, 0},
	{OF_START, JOIN_CHAIN, false, 2, 0},
	{OF_END, JOIN_CHAIN, true, -1, 0},
	{OF_END, JOIN_CHAIN, true, -2, 0},
	{OF_START, JOIN_STACK, false, -1, 1},
	{OF_START, JOIN_STACK, false, 1, 1},
};

enum {
	EXACT_SIDES = 3,
	FREE_SIDES = 5,
	ALL_SIDES = countof(sides)
};

struct pad {
	struct job *job;
	struct compounds c;
	struct loads loads;  /* with what is padded */
	uint64_t limit;	     /* of loads */
	uint32_t size_shift; /* from bytes to the unit of areas */
	uint64_t most_waste;
	uint32_t n_sides;
	uint32_t *queue, n_queue; /* compounds that look for a partner */
	uint32_t *order, n_order; /* those that were live, by birth */
	uint32_t n_grouped;	  /* of these */
	uint32_t *group, n_group; /* to be repaired, next to each other */
	uint32_t n_repairs;	  /* left of the group */
	uint32_t *mark, n_marks;  /* of a compound: the last group it was in */
	uint64_t *birth;
	uint64_t random;
	uint64_t need; /* steps with which the attempt is what it was */
};

/* Sorts what is live. */
static void sort_live(struct pad *p)
{
	const struct compounds *c = &p->c;

	p->n_order = c->n_live;
	p->n_grouped = 0;
	for (uint32_t k = 0; k < c->n_live; k++) {
		p->order[k] = c->live[k];
		p->birth[c->live[k]] = c->at[c->live[k]].start;
	}
	mp_sort_radix(p->order, p->queue, p->n_order, p->birth);
}

static uint32_t below(struct pad *p, uint32_t n)
{
	return (uint32_t)(mp_prng(&p->random) % n);
}

static void put(struct pad *p, uint32_t i)
{
	p->queue[p->n_queue++] = i;
}

/* ------------------------------------------------------------ waste */

static uint64_t area_of(
	const struct pad *p, uint32_t start, uint32_t end, uint64_t size)
{
	return (end - start) * (size >> p->size_shift);
}

/* What is padded, in relation to the smaller of the two. */
static uint64_t waste_of(struct pad *p, const struct compound *x,
	const struct compound *y, enum join how)
{
	uint64_t first = area_of(p, x->start, x->end, x->size);
	uint64_t second = area_of(p, y->start, y->end, y->size);
	uint32_t start = (uint32_t)num_min(x->start, y->start);
	uint32_t end = (uint32_t)num_max(x->end, y->end);
	uint64_t whole, waste, size;

	size = how == JOIN_CHAIN ? num_max(x->size, y->size)
				 : x->size + y->size;
	if (x->n_bases > 0 && y->n_bases > 0)
		size = mp_planner_slides_together(&p->c, x, y, how);
	if (size == UINT64_MAX)
		return UINT64_MAX;
	whole = area_of(p, start, end, size);
	waste = whole - num_min(whole, first + second);
	if (waste >> (64 - WASTE_BITS) > 0)
		return UINT64_MAX;
	return (waste << WASTE_BITS) / num_max(num_min(first, second), 1);
}

static bool fit(const struct compound *x, const struct compound *y,
	const struct side *side)
{
	uint32_t longer = x->end < y->end ? y->end - x->end : x->end - y->end;

	if (side->how == JOIN_CHAIN && side->is_second)
		return (int64_t)y->end - x->start == side->shift;
	if (side->how == JOIN_CHAIN)
		return (int64_t)y->start - x->end == side->shift;
	if (side->list == OF_END)
		return longer == 0;
	return (int64_t)y->start - x->start == side->shift &&
	       longer <= side->longer;
}

/* More than is allowed: it does not fit on that side. */
static uint64_t waste_beside(
	struct pad *p, uint32_t i, uint32_t other, const struct side *side)
{
	const struct compound *x = &p->c.at[i], *y = &p->c.at[other];

	if (i == other || !fit(x, y, side))
		return UINT64_MAX;
	return side->is_second ? waste_of(p, y, x, side->how)
			       : waste_of(p, x, y, side->how);
}

/* The first of those that may be on a side. */
static uint32_t first_beside(const struct pad *p, uint32_t i,
	enum compound_kin kin, const struct side *side)
{
	const struct compound *x = &p->c.at[i];
	bool at_start = side->how == JOIN_CHAIN ? side->is_second
						: side->list != OF_END;

	return mp_planner_compounds_first(&p->c, kin, side->list,
		(at_start ? x->start : x->end) + (uint32_t)side->shift,
		side->list == OF_SPAN ? x->end : 0);
}

/* ------------------------------------------------------------ loads */

/* The bytes that a compound pads at a step, and until which. */
static uint64_t padding(const struct pad *p, const struct compound *x,
	uint32_t step, uint32_t *until)
{
	uint64_t bytes = x->size;

	*until = x->end;
	for (uint32_t k = 0; k < x->n_members; k++) {
		const struct compound *m = &p->c.at[x->member[k]];
		bool is_alive = m->start <= step && step < m->end;

		bytes -= is_alive ? m->size : 0;
		if (is_alive || step < m->start)
			*until = (uint32_t)num_min(
				*until, is_alive ? m->end : m->start);
	}
	return bytes;
}

/* Loads the padding of a compound, or takes it off again. Loads may be above
 * the limit then. */
static bool change_loads(struct pad *p, uint32_t i, bool more)
{
	const struct compound *x = &p->c.at[i];

	for (uint32_t s = x->start, until; s < x->end; s = until) {
		int64_t bytes = (int64_t)padding(p, x, s, &until);

		if (bytes > 0)
			mp_planner_loads_add(&p->loads, s, until,
				more ? bytes : -bytes, &p->c.looks);
	}
	return mp_planner_loads_most(&p->loads) <= p->limit;
}

static void break_up(struct pad *p, uint32_t i)
{
	change_loads(p, i, false);
	mp_planner_compounds_break(&p->c, i);
}

static void undo_to(struct pad *p, uint32_t n_done)
{
	for (uint32_t k = p->c.n_done; k-- > n_done;)
		change_loads(p, p->c.done[k].compound, p->c.done[k].broken);
	mp_planner_compounds_undo_to(&p->c, n_done);
}

/* NONE: loads have no room for the padding, or fixed offsets are against it.
 */
static uint32_t join(
	struct pad *p, uint32_t i, uint32_t other, const struct side *side)
{
	uint32_t pair[] = {
		side->is_second ? other : i, side->is_second ? i : other};
	uint32_t before = p->c.n_done;
	uint32_t joined = mp_planner_compounds_join(&p->c, side->how, pair);
	uint32_t n_stacks = joined == NONE ? 0 : p->c.n_done - before - 1;

	/* Those that were broken, as it has their members now. */
	for (uint32_t k = before; k < before + n_stacks; k++)
		change_loads(p, p->c.done[k].compound, false);
	if (joined == NONE || change_loads(p, joined, true))
		return joined;
	if (n_stacks > 0)
		undo_to(p, before);
	else
		break_up(p, joined);
	return NONE;
}

/* ------------------------------------------------------------ joins */

/* Finds the live one on a side that wastes least. The more are there, the more
 * often one fits by chance: returns the waste of a few as it would be of one.
 */
static uint64_t least_beside(
	struct pad *p, uint32_t i, const struct side *side, uint32_t *other)
{
	uint32_t y = first_beside(p, i, LIVE_ONES, side), n = 0;
	uint64_t least = p->most_waste;

	*other = NONE;
	for (; y != NONE && n < LOOKS; n++) {
		uint64_t waste = waste_beside(p, i, y, side);

		if (waste <= least) {
			least = waste;
			*other = y;
		}
		y = p->c.links[LIVE_ONES][y].in[side->list].next;
	}
	p->c.looks += n + 1;
	return least * (n + 1) / 2;
}

/* With a live one that wastes little; NONE: with none. */
static uint32_t join_best(struct pad *p, uint32_t i)
{
	const struct side *best = NULL;
	uint64_t least = p->most_waste;
	uint32_t other = NONE, y;

	for (uint32_t k = 0; k < p->n_sides; k++) {
		uint64_t waste = least_beside(p, i, &sides[k], &y);

		if (y != NONE && waste <= least) {
			least = waste;
			best = &sides[k];
			other = y;
		}
	}
	return best ? join(p, i, other, best) : NONE;
}

/* Those in the queue, by chance, and what comes of it. */
static void join_queue(struct pad *p)
{
	uint32_t joined;

	while (p->n_queue > 0) {
		uint32_t at = below(p, p->n_queue), i = p->queue[at];

		p->queue[at] = p->queue[--p->n_queue];
		joined = p->c.at[i].live == NONE ? NONE : join_best(p, i);
		if (joined != NONE)
			put(p, joined);
	}
}

/* What lies together is joined together: then it is in the cache. */
static void join_in_time(struct pad *p)
{
	sort_live(p);
	for (uint32_t k = 0; k < p->n_order; k++) {
		put(p, p->order[k]);
		if (p->n_queue >= AT_ONCE || k + 1 == p->n_order)
			join_queue(p);
	}
}

/* First what fits without waste, then twice as much waste each time. False: the
 * budget is spent. */
static bool join_all(struct pad *p)
{
	bool goes_on = true;

	p->most_waste = 0;
	for (int bits = LEAST_WASTE + 1; goes_on && bits >= MOST_WASTE;
		bits--) {
		join_in_time(p);
		mp_planner_compounds_keep(&p->c);
		goes_on = mp_planner_compounds_charge(&p->c, p->job);
		p->most_waste = 1 << WASTE_BITS >> (bits - 1);
	}
	p->most_waste = (uint64_t)REPAIR_WASTE << WASTE_BITS;
	return goes_on;
}

/* ---------------------------------------------------------- repairs */

/* Makes a compound live. What is left of those that it was part of is put into
 * the queue. False: it lies too deep, or within the one that is to take it. */
static bool take_out(struct pad *p, uint32_t i, uint32_t taker)
{
	struct compounds *c = &p->c;
	uint32_t path[COMPOUNDS_DEEPEST], n;

	if (!mp_planner_compounds_around(c, i, taker, path, &n))
		return false;
	while (n-- > 0) {
		const struct compound *x = &c->at[path[n]];

		for (uint32_t k = 0; k < x->n_members; k++)
			put(p, x->member[k]);
		break_up(p, path[n]);
	}
	return true;
}

/* One of those that fit on a side, by chance, wherever they are; NONE: none
 * does. */
static uint32_t pick_partner(struct pad *p, uint32_t i, const struct side *side)
{
	uint32_t y = first_beside(p, i, ALL_ONES, side);
	uint32_t picked = NONE, n_fits = 0, n = 0;

	for (; y != NONE && n < LOOKS; n++) {
		if (waste_beside(p, i, y, side) <= p->most_waste &&
			below(p, ++n_fits) == 0)
			picked = y;
		y = p->c.links[ALL_ONES][y].in[side->list].next;
	}
	p->c.looks += n + 1;
	return picked;
}

static void take_partner(struct pad *p, uint32_t i)
{
	const struct side *side = &sides[below(p, p->n_sides)];
	uint32_t other = pick_partner(p, i, side), joined;

	if (other == NONE || !take_out(p, other, i))
		return;
	joined = join(p, i, other, side);
	put(p, joined == NONE ? i : joined);
}

/* One of those that begin at a step, or end there, by chance; NONE: none does.
 */
static uint32_t pick_at(struct pad *p, enum compound_list list, uint32_t step)
{
	const struct compounds *c = &p->c;
	uint32_t i = mp_planner_compounds_first(c, ALL_ONES, list, step, 0);
	uint32_t picked = NONE, n_found = 0, n = 0;

	for (; i != NONE && n < LOOKS; n++) {
		if (step == (list == OF_START ? c->at[i].start
					      : c->at[i].end) &&
			below(p, ++n_found) == 0)
			picked = i;
		i = c->links[ALL_ONES][i].in[list].next;
	}
	p->c.looks += n;
	return picked;
}

/* Takes out what begins or ends where the compound does, or where a piece does
 * that is left over, a few times. */
static void take_some(struct pad *p, uint32_t i)
{
	uint32_t n = 1 + below(p, MOST_TAKEN);

	put(p, i);
	while (n-- > 0) {
		const struct compound *near =
			&p->c.at[p->queue[below(p, p->n_queue)]];
		uint32_t step = below(p, 2) ? near->start : near->end;
		uint32_t other =
			pick_at(p, below(p, 2) ? OF_START : OF_END, step);

		if (other != NONE && take_out(p, other, NONE))
			put(p, other);
	}
}

static void add_to_group(struct pad *p, uint32_t i)
{
	if (p->c.at[i].live == NONE || p->mark[i] == p->n_marks)
		return;
	p->mark[i] = p->n_marks;
	p->group[p->n_group++] = i;
}

/* The next ones by birth; after the last the first. */
static void begin_group(struct pad *p)
{
	p->n_marks++;
	p->n_group = 0;
	while (p->n_group == 0 ||
		(p->n_group < GROUP && p->n_grouped < p->n_order)) {
		if (p->n_grouped == p->n_order)
			sort_live(p);
		add_to_group(p, p->order[p->n_grouped++]);
	}
	p->n_repairs = p->n_group;
}

/* What a repair has left joins the group. */
static void follow(struct pad *p)
{
	const struct compounds *c = &p->c;

	for (uint32_t k = 0; k < c->n_done; k++) {
		const struct compound *x = &c->at[c->done[k].compound];

		if (!c->done[k].broken)
			add_to_group(p, c->done[k].compound);
		for (uint32_t m = 0; c->done[k].broken && m < x->n_members; m++)
			add_to_group(p, x->member[m]);
	}
}

/* One of the group. NONE: none is left. */
static uint32_t draw(struct pad *p)
{
	while (p->n_group > 0) {
		uint32_t at = below(p, p->n_group), i = p->group[at];

		if (p->c.at[i].live != NONE)
			return i;
		p->mark[i] = 0;
		p->group[at] = p->group[--p->n_group];
	}
	return NONE;
}

/* The smallest one of a few: most are joined that way. NONE: none is left. */
static uint32_t pick_small(struct pad *p)
{
	uint32_t smallest = NONE;
	uint64_t least = UINT64_MAX;

	for (uint32_t k = 0; k < DRAWN; k++) {
		uint32_t i = draw(p);
		const struct compound *x;
		uint64_t area;

		if (i == NONE)
			return NONE;
		x = &p->c.at[i];
		area = area_of(p, x->start, x->end, x->size);
		if (area < least) {
			least = area;
			smallest = i;
		}
	}
	return smallest;
}

static void repair(struct pad *p, uint64_t heat)
{
	struct compounds *c = &p->c;
	uint32_t i, n_live = c->n_live;
	int64_t lost;

	if (p->n_repairs == 0 || (i = pick_small(p)) == NONE) {
		begin_group(p);
		i = pick_small(p);
	}
	p->n_repairs--;
	if (below(p, SOME_ONE_IN) == 0)
		take_some(p, i);
	else
		take_partner(p, i);
	join_queue(p);
	lost = (int64_t)c->n_live - n_live;
	if (256 * lost <= mp_planner_anneal_may_lose(&p->random, heat)) {
		follow(p);
		mp_planner_compounds_keep(c);
	} else {
		undo_to(p, 0);
	}
}

static uint64_t heat_after(const struct pad *p, uint64_t steps)
{
	uint64_t all = (uint64_t)COOL * p->c.n_buffers;

	return HOT - (HOT - COLD) * num_min(steps, all) / all;
}

/* Steps to plan what is left, and to make that plan lower. */
static uint64_t steps_of_rest(const struct pad *p)
{
	return (uint64_t)REST * (1 + LOWER) * p->c.n_live;
}

/* As long as fewer and fewer are left, for so many steps at most; a part of the
 * budget is for the rest, and up to half where much is left. False: it is
 * spent. */
static bool repair_all(struct pad *p, uint64_t most)
{
	const struct job *job = p->job;
	uint64_t all = job->steps, before = job->spent, spent = 0, enough = 0;
	uint32_t least = p->c.n_live, in_vain = 0;
	bool goes_on = true;

	while (goes_on && spent < most && p->c.n_live > 1 &&
		in_vain < PATIENCE * least &&
		job->steps > num_max(all / KEPT,
				     num_min(all / 2, steps_of_rest(p)))) {
		enough = num_max(enough, spent + steps_of_rest(p));
		repair(p, heat_after(p, spent));
		goes_on = mp_planner_compounds_charge(&p->c, p->job);
		spent = job->spent - before;
		in_vain++;
		if (p->c.n_live < least) {
			least = p->c.n_live;
			in_vain = 0;
		}
	}
	enough = num_max(enough, spent + steps_of_rest(p));
	p->need =
		before + 1 +
		num_max(spent + spent / (KEPT - 1), num_min(2 * spent, enough));
	return goes_on;
}

/* -------------------------------------------------------------- row */

/* From bytes to the unit of areas. */
static uint32_t shift_of(uint64_t limit)
{
	uint32_t shift = 0;

	while (limit >> shift >> AREA_BITS > 0)
		shift++;
	return shift;
}

static uint64_t limit_of(const struct job *job, uint32_t room)
{
	return job->lower_bound + (job->lower_bound >> room);
}

static bool pad_init(struct pad *p, struct job *job, uint32_t n_sides,
	uint32_t room, uint32_t attempt)
{
	*p = (struct pad){.job = job,
		.limit = limit_of(job, room),
		.n_sides = n_sides,
		.random = job->seed + attempt};
	if (!mp_planner_compounds_init_loose(
		    &p->c, job->problem, p->limit, job->arena))
		return false;
	p->queue = NEW(job->arena, uint32_t, p->c.room + MOST_TAKEN + 1);
	p->size_shift = shift_of(p->limit);
	p->order = NEW(job->arena, uint32_t, p->c.n_buffers);
	p->group = NEW(job->arena, uint32_t, p->c.room);
	p->mark = NEW(job->arena, uint32_t, p->c.room);
	p->birth = NEW(job->arena, uint64_t, p->c.room);
	return p->queue && p->order && p->group && p->mark && p->birth &&
	       mp_planner_loads_init(&p->loads, job->problem, job->arena);
}

/* The attempt is the same with any budget that has so many steps from here on.
 */
static void note_need(struct pad *p, uint64_t steps)
{
	p->need = num_max(p->need, p->job->spent + steps);
}

static bool plan_rest(struct pad *p, uint32_t attempt)
{
	uint64_t steps = (uint64_t)MOST_REST * p->c.n_live;
	bool is_pinned = p->c.pins.n_leaves > 0, fine;
	struct job own;

	if (is_pinned && !mp_planner_rest_fit(&p->c, p->job))
		return false;
	own = *p->job;
	own.seed += attempt;
	own.steps = num_min(steps, p->job->steps / (1 + LOWER));
	note_need(p, steps * (1 + LOWER));
	fine = mp_planner_rest_plan(&p->c, p->job, mp_planner_auto_run, &own);
	if (!fine || is_pinned)
		return fine;
	steps *= LOWER;
	note_need(p, steps);
	mp_planner_compounds_keep(&p->c);
	fine = mp_planner_rest_refine(
		&p->c, p->job, &own, num_min(steps, p->job->steps));
	note_need(p, 1);
	return fine;
}

/* Where no byte is free jigsaw has what fits; where many are, what fits says
 * little. */
static bool is_nearly_full(const struct job *job)
{
	const struct problem *problem = job->problem;
	uint32_t shift = shift_of(job->lower_bound);
	uint64_t all = (job->lower_bound >> shift) * problem->n_steps;
	uint64_t free = all;

	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		const struct buffer *b = &problem->buffers[i];

		free -= (b->size >> shift) * (b->end - b->start);
	}
	assert(free <= all);
	return free > all / LEAST_FREE && free < all / MOST_FREE;
}

/* After some repairs, of which it says whether they are worth more. */
static bool try_sides(struct pad *p, uint64_t trial, uint32_t *n_joined)
{
	bool goes_on = join_all(p);
	uint32_t n = p->c.n_live;

	*n_joined = n;
	if (!goes_on || n > p->c.n_buffers / WORTH_IT ||
		n > p->job->steps / JOINED)
		return false;
	return repair_all(p, trial) &&
	       p->c.n_live <= num_max(n - n / GAIN, FEW_LEFT);
}

/* Which sides leave less after some repairs, and how many before these: the
 * first that leave next to nothing; none if all sides leave most, as then each
 * does. 0: all leave too many for the budget, or it is spent. False: memory is
 * out. */
static bool pick_sides(struct job *job, uint32_t *picked, uint32_t *n_joined)
{
	static const uint32_t choice[] = {EXACT_SIDES, ALL_SIDES, FREE_SIDES};
	uint32_t n_buffers = job->problem->n_buffers, least = UINT32_MAX, n;
	uint64_t trial =
		num_min(job->steps / TRIALS, (uint64_t)TRIAL * n_buffers);
	struct arena_mark mark = mp_arena_mark(job->arena);
	struct pad p;

	*picked = *n_joined = 0;
	for (uint32_t k = 0; k < countof(choice); k++) {
		if (!pad_init(&p, job, choice[k], FIRST_ROOM, 0))
			return false;
		if (try_sides(&p, trial, &n) && p.c.n_live < least) {
			least = p.c.n_live;
			*n_joined = n;
			*picked = choice[k];
		}
		mp_arena_rewind(job->arena, mark);
		if (least <= n_buffers / NEXT_TO_NOTHING ||
			(choice[k] == ALL_SIDES && n > n_buffers / WORTH_IT))
			break;
	}
	if (*picked > 0 && job->steps / EACH < least && least > FEW_LEFT)
		*picked = 0;
	return true;
}

/* Less room than before, or the most again; none that allows no lower plan. 0:
 * there is none. */
static uint32_t next_room(const struct job *job, uint64_t height, uint32_t room)
{
	for (uint32_t n = MOST_ROOM; n <= LEAST_ROOM; n++) {
		room = room == LEAST_ROOM ? MOST_ROOM : room + 1;
		if (height > limit_of(job, room))
			return room;
	}
	return 0;
}

/* Joins the buffers, joins them anew where they do not fit well, and plans what
 * is left, unless the room is so small that this is too much. Memory may be
 * out, which fine says. Returns false if another attempt is no use. */
static bool attempt(struct pad *p, uint32_t number, uint32_t most, bool *fine)
{
	if (!join_all(p))
		return false;
	if (p->c.n_live > most)
		return true;
	if (!repair_all(p, UINT64_MAX) ||
		p->c.n_live > num_max(FEW_LEFT, p->c.n_buffers / FEW))
		return false;
	*fine = plan_rest(p, number);
	return *fine && mp_planner_job_step(p->job, 1) &&
	       !mp_planner_job_done(p->job);
}

/* Chance decides much, so there are many attempts. Less room is for lower
 * plans, but leaves more. What one attempt finds changes the next only where
 * its room is another one, so they are run ahead. */
struct attempts {
	struct job *job;
	struct ahead *ahead;
	uint32_t n_sides, most, room, number, in_vain;
	uint64_t need;	       /* steps of one with which it is what it is */
	uint64_t budget, each; /* steps of all, and of one, at most */
	uint64_t dearest;      /* steps that one took, at most */
	bool goes_on;
	struct attempt {
		uint32_t room, n_live;
		uint64_t *best, height; /* the plan, if there is a better one */
		uint64_t spent, need;
		atomic_bool has_ended; /* the others may read all that */
	} at[AHEAD_MOST];
};

static uint32_t room_after(const struct attempts *all, uint32_t room,
	const struct attempt *at, uint64_t height)
{
	return next_room(
		all->job, height, at->n_live > all->most ? LEAST_ROOM : room);
}

/* Attempts that may be in vain in turn. */
static uint32_t most_in_vain(const struct attempts *all)
{
	return mp_planner_job_near(all->job, 1 << FIRST_ROOM) ? IN_VAIN
							      : UINT32_MAX;
}

/* The room of one was another one, so it does not count. */
static uint32_t stop_from(const struct attempts *all, uint32_t index)
{
	for (; index < all->ahead->n; index++)
		atomic_store(&all->ahead->passes[index].beaten.is, true);
	return 0;
}

/* Of an attempt that begins now: as if those that run had enough of it, needed
 * as much as the dearest so far, and were not in vain. The least room soon
 * shows whether it is enough, and then ends all. 0: there is none, it would
 * have too few steps, or one before it has begun with another room. */
static uint32_t room_ahead(const struct attempts *all, uint32_t index)
{
	uint64_t need = all->need, left = all->job->steps;
	uint64_t height = all->job->height;
	uint32_t room = all->room, in_vain = all->in_vain, n = 1;

	for (uint32_t k = 0; k < index; k++) {
		const struct attempt *at = &all->at[k];

		if (!atomic_load(&at->has_ended)) {
			if (room == LEAST_ROOM)
				return 0;
			room = next_room(all->job, height, room);
			in_vain = 0;
			n++;
			continue;
		}
		if (at->room != room)
			return stop_from(all, k);
		in_vain = at->height < height ? 0 : in_vain + 1;
		height = num_min(height, at->height);
		room = room_after(all, room, at, height);
		need = num_max(need, at->need);
		left -= num_min(left, at->spent);
	}
	return left / n >= need && in_vain < most_in_vain(all) ? room : 0;
}

static enum pass_end run_attempt(
	void *context, struct pass *pass, struct job *job)
{
	struct attempts *all = context;
	struct attempt *at = &all->at[pass->index];
	uint32_t number = all->number + pass->index;
	struct arena_mark mark;
	bool fine, goes_on;
	struct pad p;

	if (!at->best)
		at->best = NEW(job->arena, uint64_t, job->problem->n_buffers);
	if (!at->best)
		return PASS_FAILED;
	at->room = pass->index > 0 ? room_ahead(all, pass->index) : all->room;
	if (at->room == 0)
		return PASS_NOT_RUN;
	job->best = at->best;
	job->steps = num_min(job->steps, all->each);
	mark = mp_arena_mark(job->arena);
	fine = pad_init(&p, job, all->n_sides, at->room, number);
	goes_on = fine && attempt(&p, number, all->most, &fine);
	mp_arena_rewind(job->arena, mark);
	at->n_live = p.c.n_live;
	at->height = job->height;
	at->spent = job->spent;
	at->need = pass->need = num_min(p.need, all->each);
	atomic_store(&at->has_ended, true);
	if (!fine)
		return PASS_FAILED;
	return goes_on ? PASS_AS_EXPECTED : PASS_OTHERWISE;
}

static bool take_attempt(void *context, const struct pass *pass)
{
	struct attempts *all = context;
	const struct attempt *at = &all->at[pass->index];
	struct job *job = all->job;
	uint64_t height = job->height;

	if (at->height < height && !mp_planner_job_offer(job, at->best))
		return false;
	all->number++;
	all->in_vain = job->height < height ? 0 : all->in_vain + 1;
	all->dearest = num_max(all->dearest, pass->spent);
	all->goes_on = pass->end == PASS_AS_EXPECTED &&
		       all->in_vain < most_in_vain(all) &&
		       job->steps >= all->dearest / 2 &&
		       (all->each < all->budget ||
			       mp_planner_job_near(job, 1 << (at->room - 1)));
	all->room = room_after(all, at->room, at, job->height);
	all->need = num_max(all->need, at->need);
	if (!all->goes_on ||
		(pass->index + 1 < all->ahead->n && at[1].room != all->room))
		all->ahead->n = pass->index + 1;
	return true;
}

/* Two have room where half of the budget is enough for one. */
static uint64_t most_steps(const struct job *job)
{
	uint64_t half = job->steps / 2;
	uint64_t enough = (uint64_t)ATTEMPT * job->problem->n_buffers;

	return half < enough ? job->steps : half;
}

/* Two at first, as nothing is known of the steps that they need. */
static bool run_some(struct attempts *all)
{
	for (uint32_t k = 0; k < AHEAD_MOST; k++)
		atomic_init(&all->at[k].has_ended, false);
	return mp_planner_ahead_run(
		all->ahead, all->number == 0 ? 2 : AHEAD_MOST);
}

/* False: memory is out. */
static bool try_again(struct job *job, uint32_t n_sides, uint32_t n_joined)
{
	static const struct ahead_row row = {
		.run = run_attempt, .take = take_attempt};
	struct attempts all = {.job = job,
		.n_sides = n_sides,
		.room = FIRST_ROOM,
		.budget = job->steps,
		.each = most_steps(job),
		.goes_on = true};
	bool fine = true;

	all.most = (uint32_t)num_min(
		num_max(n_joined + n_joined / 2, all.each / AMPLE), UINT32_MAX);
	all.ahead = mp_planner_ahead_open(job, &row, &all);
	if (!all.ahead)
		return false;
	while (fine && all.goes_on && all.room > 0)
		fine = run_some(&all);
	mp_planner_ahead_close(all.ahead);
	return fine;
}

static enum outcome first_plan(struct job *job)
{
	const struct planner *row = mp_planner_find_own(
		mp_problem_is_plain(job->problem) ? "dive" : "greedy-size");

	return row->run(job, row->variant);
}

enum outcome mp_planner_pad_run(struct job *job, int variant)
{
	uint64_t height = job->height;
	uint32_t n_sides, n_joined;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (job->problem->n_buffers == 0)
		return PLAN_GAVE_UP;
	if (job->problem->n_buffers > COMPOUNDS_MOST)
		return mp_planner_job_decline(job, TOO_MANY_TO_JOIN);
	if (!mp_planner_compounds_suit(job->problem) ||
		job->problem->n_parts > job->problem->n_buffers)
		return mp_planner_job_decline(job,
			"takes one lifetime and one block a buffer, and one "
			"stream only");
	/* By name it joins whatever it is. */
	if (height == UINT64_MAX) {
		if (first_plan(job) == PLAN_FAILED)
			return PLAN_FAILED;
	} else if (!is_nearly_full(job)) {
		return PLAN_GAVE_UP;
	}
	if (mp_planner_job_done(job))
		return PLAN_OPTIMAL;
	if (job->steps / ENOUGH >= job->problem->n_buffers &&
		(!pick_sides(job, &n_sides, &n_joined) ||
			(n_sides > 0 && !try_again(job, n_sides, n_joined))))
		return PLAN_FAILED;
	if (mp_planner_job_done(job))
		return PLAN_OPTIMAL;
	return job->height < height ? PLAN_FOUND : PLAN_GAVE_UP;
}
