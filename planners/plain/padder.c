/*
 * Waste, loads, joins, repairs, and the rest: see padder.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/padder.h"

#include "base/num.h"
#include "base/prng.h"
#include "base/sort.h"
#include "planners/plain/anneal.h"
#include "planners/plain/rest.h"
#include "planners/plain/slides.h"
#include "planners/rows.h"

enum {
	AREA_BITS = 30, /* of the limit in the unit of areas */
	LOOKS = 48,	/* at a list of what may fit */
	MOST_TAKEN = 8	/* compounds that one repair takes out */
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

_Static_assert(countof(sides) == ALL_SIDES, "all of them");

/* Sorts what is live. */
static void sort_live(struct padder *p)
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

static uint32_t below(struct padder *p, uint32_t n)
{
	return (uint32_t)(mp_prng(&p->random) % n);
}

static void put(struct padder *p, uint32_t i)
{
	p->queue[p->n_queue++] = i;
}

/* ------------------------------------------------------------ waste */

enum {
	WASTE_BITS = 20 /* of waste over the smaller area of two, as a part */
};

static uint64_t area_of(
	const struct padder *p, uint32_t start, uint32_t end, uint64_t size)
{
	return (end - start) * (size >> p->size_shift);
}

/* Waste as a part of the smallest area. */
static uint64_t part_of(uint64_t waste, uint64_t least)
{
	if (waste == 0) /* as most at first: to divide takes longer */
		return 0;
	if (waste >> (64 - WASTE_BITS) > 0)
		return UINT64_MAX;
	return (waste << WASTE_BITS) / num_max(least, 1);
}

/* What is padded, in relation to the smaller of the two. */
static uint64_t waste_of(struct padder *p, const struct compound *x,
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
	return part_of(waste, num_min(first, second));
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
	struct padder *p, uint32_t i, uint32_t other, const struct side *side)
{
	const struct compound *x = &p->c.at[i], *y = &p->c.at[other];

	if (i == other || !fit(x, y, side))
		return UINT64_MAX;
	return side->is_second ? waste_of(p, y, x, side->how)
			       : waste_of(p, x, y, side->how);
}

/* The first of those that may be on a side. */
static uint32_t first_beside(const struct padder *p, uint32_t i,
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
static uint64_t padding(const struct padder *p, const struct compound *x,
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
static bool change_loads(struct padder *p, uint32_t i, bool more)
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

static void undo_to(struct padder *p, uint32_t n_done)
{
	for (uint32_t k = p->c.n_done; k-- > n_done;)
		change_loads(p, p->c.done[k].compound, p->c.done[k].broken);
	mp_planner_compounds_undo_to(&p->c, n_done);
}

/* NONE: loads have no room for the padding, or fixed offsets are against it.
 */
static uint32_t join(
	struct padder *p, uint32_t i, uint32_t other, const struct side *side)
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
	if (n_stacks > 0) {
		undo_to(p, before);
	} else {
		change_loads(p, joined, false);
		mp_planner_compounds_break(&p->c, joined);
	}
	return NONE;
}

/* ------------------------------------------------------------ joins */

enum {
	LEAST_WASTE = 6,   /* joins may waste a 64th, after those that waste
			      nothing, and twice as much each time, */
	MOST_WASTE = 1,	   /* up to half of the smaller of two; */
	REPAIR_WASTE = 32, /* repairs this many times as much as it has */
	AT_ONCE = 1024	   /* compounds that are joined together, at least */
};

/* Finds the live one on a side that wastes least. The more are there, the more
 * often one fits by chance: returns the waste of a few as it would be of one.
 */
static uint64_t least_beside(
	struct padder *p, uint32_t i, const struct side *side, uint32_t *other)
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
static uint32_t join_best(struct padder *p, uint32_t i)
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
static void join_queue(struct padder *p)
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
static void join_in_time(struct padder *p)
{
	sort_live(p);
	for (uint32_t k = 0; k < p->n_order; k++) {
		put(p, p->order[k]);
		if (p->n_queue >= AT_ONCE || k + 1 == p->n_order)
			join_queue(p);
	}
}

bool mp_planner_padder_join(struct padder *p)
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

enum {
	GROUP = 64,	   /* compounds that are repaired together */
	DRAWN = 2,	   /* of these, of which the smallest is repaired */
	SOME_ONE_IN = 3,   /* of so many repairs one takes out some */
	WORTH = 256,	   /* of a join that wastes nothing; */
	DOUBT = 32,	   /* less for each time that its waste doubles, from
			      the least on */
	PATIENCE = 200,	   /* repairs in vain for each compound that is left */
	KEPT = 4,	   /* part of the budget to plan the rest with; */
	REST = 3000,	   /* steps for each compound of that, at least, */
	MOST_REST = 20000, /* and at most; */
	LOWER = 4,	   /* times as many then make the plan lower */
	MANY_LEFT = 256,   /* from so many on only such a part of these is */
	GLANCE = 8	   /* for the first plan: it is far off anyway */
};

/* Makes a compound live. What is left of those that it was part of is put into
 * the queue. False: it lies too deep, or within the one that is to take it. */
static bool take_out(struct padder *p, uint32_t i, uint32_t taker)
{
	struct compounds *c = &p->c;
	uint32_t path[COMPOUNDS_DEEPEST], n;

	if (!mp_planner_compounds_around(c, i, taker, path, &n))
		return false;
	for (uint32_t d = n; d-- > 0;) {
		const struct compound *x = &c->at[path[d]];

		for (uint32_t k = 0; k < x->n_members; k++)
			put(p, x->member[k]);
		change_loads(p, path[d], false);
	}
	mp_planner_compounds_break_path(c, path, n);
	return true;
}

/* One of those that fit on a side, by chance, wherever they are; NONE: none
 * does. */
static uint32_t pick_partner(
	struct padder *p, uint32_t i, const struct side *side)
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

static void take_partner(struct padder *p, uint32_t i)
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
static uint32_t pick_at(
	struct padder *p, enum compound_list list, uint32_t step)
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
static void take_some(struct padder *p, uint32_t i)
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

static void add_to_group(struct padder *p, uint32_t i)
{
	if (p->c.at[i].live == NONE || p->mark[i] == p->n_marks)
		return;
	p->mark[i] = p->n_marks;
	p->group[p->n_group++] = i;
}

/* The next ones by birth; after the last the first. */
static void begin_group(struct padder *p)
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
static void follow(struct padder *p)
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
static uint32_t draw(struct padder *p)
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
static uint32_t pick_small(struct padder *p)
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

/* The more a join wastes, the more often something fits so by chance. What
 * slides wastes by what is fixed, so that all joins count the same there. */
static int64_t worth_of(const struct padder *p, const struct compound *x)
{
	uint64_t waste = area_of(p, x->start, x->end, x->size);
	uint64_t least = UINT64_MAX, parts;
	uint32_t doubt;

	if (p->c.pins.n_leaves > 0)
		return WORTH;
	for (uint32_t k = 0; k < x->n_members; k++) {
		const struct compound *m = &p->c.at[x->member[k]];
		uint64_t area = area_of(p, m->start, m->end, m->size);

		waste -= num_min(waste, area);
		least = num_min(least, area);
	}
	parts = part_of(waste, least) >> (WASTE_BITS - LEAST_WASTE);
	doubt = DOUBT * num_log2(1 + parts) / 256;
	return WORTH - (int64_t)num_min(WORTH, doubt);
}

/* Since the last keep. */
static int64_t lost_worth(const struct padder *p)
{
	const struct compounds *c = &p->c;
	int64_t lost = 0;

	for (uint32_t k = 0; k < c->n_done; k++) {
		const struct compound_step *step = &c->done[k];
		int64_t worth = worth_of(p, &c->at[step->compound]);

		lost += step->broken ? worth : -worth;
	}
	return lost;
}

static void repair(struct padder *p, uint64_t heat)
{
	struct compounds *c = &p->c;
	uint32_t i;

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
	if (lost_worth(p) <= mp_planner_anneal_may_lose(&p->random, heat)) {
		follow(p);
		mp_planner_compounds_keep(c);
	} else {
		undo_to(p, 0);
	}
}

/* Heat, of which WORTH is a compound more: without fixed offsets, and with
 * them. */
static const struct cooling {
	uint64_t hot, cold; /* heat at first, and in the end, */
	uint64_t steps;	    /* after so many steps a buffer */
} cooling[] = {{40, 10, 100}, {60, 20, 400}};

static uint64_t heat_after(const struct padder *p, uint64_t steps)
{
	const struct cooling *k = &cooling[p->c.pins.n_leaves > 0];
	uint64_t all = k->steps * p->c.n_buffers;

	return k->hot - (k->hot - k->cold) * num_min(steps, all) / all;
}

/* Steps to plan what is left, and to make that plan lower. */
static uint64_t steps_of_rest(const struct padder *p)
{
	return (uint64_t)REST * (1 + LOWER) * p->c.n_live;
}

bool mp_planner_padder_repair(struct padder *p, uint64_t most)
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

/* ------------------------------------------------------------- rest */

/* All is the same with any budget that has so many steps from here on. */
static void note_need(struct padder *p, uint64_t steps)
{
	p->need = num_max(p->need, p->job->spent + steps);
}

bool mp_planner_padder_plan_rest(struct padder *p, uint32_t number)
{
	uint64_t steps = (uint64_t)MOST_REST * p->c.n_live;
	bool is_pinned = p->c.pins.n_leaves > 0, fine;
	struct job own;

	if (is_pinned && !mp_planner_rest_fit(&p->c, p->job))
		return false;
	own = *p->job;
	own.seed += number;
	own.steps = num_min(steps, p->job->steps / (1 + LOWER)) /
		    (is_pinned || p->c.n_live < MANY_LEFT ? 1 : GLANCE);
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

/* ------------------------------------------------------------- init */

uint32_t mp_planner_padder_shift(uint64_t limit)
{
	uint32_t shift = 0;

	while (limit >> shift >> AREA_BITS > 0)
		shift++;
	return shift;
}

bool mp_planner_padder_init(struct padder *p, struct job *job,
	enum pad_sides n_sides, uint64_t limit, uint64_t seed)
{
	*p = (struct padder){
		.job = job, .limit = limit, .n_sides = n_sides, .random = seed};
	if (!mp_planner_compounds_init_loose(
		    &p->c, job->problem, p->limit, job->arena))
		return false;
	p->queue = NEW(job->arena, uint32_t, p->c.room + MOST_TAKEN + 1);
	p->size_shift = mp_planner_padder_shift(p->limit);
	p->order = NEW(job->arena, uint32_t, p->c.n_buffers);
	p->group = NEW(job->arena, uint32_t, p->c.room);
	p->mark = NEW(job->arena, uint32_t, p->c.room);
	p->birth = NEW(job->arena, uint64_t, p->c.room);
	return p->queue && p->order && p->group && p->mark && p->birth &&
	       mp_planner_loads_init(&p->loads, job->problem, job->arena);
}
