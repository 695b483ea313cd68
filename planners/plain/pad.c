/*
 * pad: joins buffers that nearly fill a rectangle of steps and bytes (see
 * compounds.h), and again what comes of it. The smaller of two is padded where
 * the load has room for that, up to a little above the lower bound; auto plans
 * what is left. So what was packed with a few free bytes is put together again,
 * where joins without waste find nothing that fits.
 *
 * What wastes least is joined first. Then come repairs, as in jigsaw: a
 * compound takes a partner that is buried in another one; what that leaves is
 * joined again, and stays if no more compounds are left than before, or by
 * chance if few more are (simulated annealing: Kirkpatrick, Gelatt, Vecchi,
 * Science 220, 1983).
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>

#include "base/num.h"
#include "base/prng.h"
#include "planners/plain/compounds.h"
#include "planners/plain/rest.h"

enum {
	ROOM = 256,	    /* so much of the bound may loads be above it, */
	ROOMS = 4,	    /* or twice, four or eight times as much */
	AREA_BITS = 30,	    /* of the limit in the unit of areas */
	WASTE_BITS = 20,    /* of waste over the smaller area of two */
	LEAST_WASTE = 6,    /* a 64th is allowed at first, */
	MOST_WASTE = 1,	    /* half at last */
	LOOKS = 48,	    /* at a list */
	STEPS_A_LOOK = 4,   /* of loads, in the time of a look */
	DEEPEST = 16,	    /* one is taken out of so many at most */
	PASSED_ONE_IN = 16, /* that fit, by chance */
	HEAT = 100,	    /* 256ths of a compound that one of two may lose */
	PATIENCE = 16,	    /* repairs in vain for each that is left */
	REST = 3000,	    /* steps for each that is left, to plan these */
	WORTH_IT = 2	    /* buffers for each that is left at first */
};

/* How one compound lies beside another: a few steps later or earlier, so that
 * steps are padded too, or as it should be. */
static const struct side {
	enum compound_list list; /* where the other is found */
	enum join how;
	bool is_second; /* the one; the other is the first */
	int shift;	/* steps that the other is later */
} sides[] = {
	{OF_START, JOIN_CHAIN, false, 0},
	{OF_END, JOIN_CHAIN, true, 0},
	{OF_SPAN, JOIN_STACK, false, 0},
	{OF_START, JOIN_CHAIN, false, 1},
	{OF_START, JOIN_CHAIN, false, 2},
	{OF_END, JOIN_CHAIN, true, -1},
	{OF_END, JOIN_CHAIN, true, -2},
	{OF_START, JOIN_STACK, false, -1},
	{OF_START, JOIN_STACK, false, 0},
	{OF_START, JOIN_STACK, false, 1},
};

enum {
	EXACT_SIDES = 3,
	ALL_SIDES = countof(sides)
};

struct pad {
	struct job *job;
	struct compounds c;
	uint64_t *load, limit; /* bytes alive at a step, with what is padded */
	uint32_t size_shift;   /* from bytes to the unit of areas */
	uint64_t most_waste;
	uint32_t n_sides;
	uint32_t *queue, n_queue; /* compounds that look for a partner */
	uint64_t random;
};

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
static uint64_t waste_of(const struct pad *p, const struct compound *x,
	const struct compound *y, enum join how)
{
	uint64_t first = area_of(p, x->start, x->end, x->size);
	uint64_t second = area_of(p, y->start, y->end, y->size);
	uint32_t start = (uint32_t)num_min(x->start, y->start);
	uint32_t end = (uint32_t)num_max(x->end, y->end);
	uint64_t whole, waste;

	whole = area_of(p, start, end,
		how == JOIN_CHAIN ? num_max(x->size, y->size)
				  : x->size + y->size);
	waste = whole - num_min(whole, first + second);
	if (waste >> (64 - WASTE_BITS) > 0)
		return UINT64_MAX;
	return (waste << WASTE_BITS) / num_max(num_min(first, second), 1);
}

static bool fit(const struct compound *x, const struct compound *y,
	const struct side *side)
{
	int64_t late = (int64_t)y->end - x->end;

	if (side->list == OF_END)
		return (int64_t)y->end - x->start == side->shift;
	if (side->how == JOIN_CHAIN)
		return (int64_t)y->start - x->end == side->shift;
	return (int64_t)y->start - x->start == side->shift &&
	       (side->list == OF_SPAN ? late == 0 : -1 <= late && late <= 1);
}

/* More than is allowed: it does not fit on that side. */
static uint64_t waste_beside(const struct pad *p, uint32_t i, uint32_t other,
	const struct side *side)
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
	bool follows = side->how == JOIN_CHAIN && !side->is_second;

	return mp_planner_compounds_first(&p->c, kin, side->list,
		(follows ? x->end : x->start) + (uint32_t)side->shift,
		side->list == OF_SPAN ? x->end : 0);
}

/* ------------------------------------------------------------ loads */

/* The bytes of a step that a compound pads. */
static uint64_t padding(
	const struct pad *p, const struct compound *x, uint32_t s)
{
	uint64_t bytes = x->size;

	for (uint32_t k = 0; k < x->n_members; k++) {
		const struct compound *m = &p->c.at[x->member[k]];

		bytes -= m->start <= s && s < m->end ? m->size : 0;
	}
	return bytes;
}

/* Loads the padding of a compound, or takes it off again. Loads may be above
 * the limit then. */
static bool change_loads(struct pad *p, uint32_t i, bool more)
{
	const struct compound *x = &p->c.at[i];
	bool fits = true;

	for (uint32_t s = x->start; s < x->end; s++) {
		uint64_t bytes = padding(p, x, s);

		p->load[s] += more ? bytes : -bytes;
		fits &= bytes == 0 || p->load[s] <= p->limit;
	}
	p->c.looks += (x->end - x->start) / STEPS_A_LOOK;
	return fits;
}

static void break_up(struct pad *p, uint32_t i)
{
	change_loads(p, i, false);
	mp_planner_compounds_break(&p->c, i);
}

/* NONE: loads have no room for the padding. */
static uint32_t join(
	struct pad *p, uint32_t i, uint32_t other, const struct side *side)
{
	uint32_t pair[] = {
		side->is_second ? other : i, side->is_second ? i : other};
	uint32_t joined = mp_planner_compounds_join(&p->c, side->how, pair);

	if (joined == NONE || change_loads(p, joined, true))
		return joined;
	break_up(p, joined);
	return NONE;
}

static void undo(struct pad *p)
{
	for (uint32_t k = p->c.n_done; k-- > 0;)
		change_loads(p, p->c.done[k].compound, p->c.done[k].broken);
	mp_planner_compounds_undo(&p->c);
}

/* ------------------------------------------------------------ joins */

/* With a live one that wastes little; NONE: with none. */
static uint32_t join_best(struct pad *p, uint32_t i)
{
	const struct side *best = NULL;
	uint64_t least = p->most_waste, waste;
	uint32_t other = NONE;

	for (uint32_t k = 0; k < p->n_sides; k++) {
		uint32_t y = first_beside(p, i, LIVE_ONES, &sides[k]), n = 0;

		for (; y != NONE && n < LOOKS; n++) {
			waste = waste_beside(p, i, y, &sides[k]);
			if (waste <= least && below(p, PASSED_ONE_IN) > 0) {
				least = waste;
				best = &sides[k];
				other = y;
			}
			y = p->c.links[LIVE_ONES][y].in[sides[k].list].next;
		}
		p->c.looks += n + 1;
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

/* First what fits without waste, then twice as much waste each time. False: the
 * budget is spent. */
static bool join_all(struct pad *p)
{
	bool goes_on = true;

	p->most_waste = 0;
	for (int bits = LEAST_WASTE + 1; goes_on && bits >= MOST_WASTE;
		bits--) {
		for (uint32_t k = 0; k < p->c.n_live; k++)
			put(p, p->c.live[k]);
		join_queue(p);
		mp_planner_compounds_keep(&p->c);
		goes_on = mp_planner_compounds_charge(&p->c, p->job);
		p->most_waste = 1 << WASTE_BITS >> (bits - 1);
	}
	return goes_on;
}

/* ---------------------------------------------------------- repairs */

/* Makes a compound live. What is left of those that it was part of is put into
 * the queue. False: it lies too deep, or within the one that is to take it. */
static bool take_out(struct pad *p, uint32_t i, uint32_t taker)
{
	struct compounds *c = &p->c;
	uint32_t path[DEEPEST], n = 0, whole = c->at[i].part_of;

	for (; whole != NONE && n < DEEPEST; whole = c->at[whole].part_of)
		path[n++] = whole;
	c->looks += n;
	if (whole != NONE || (n > 0 && path[n - 1] == taker))
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

static void repair(struct pad *p)
{
	struct compounds *c = &p->c;
	const struct side *side = &sides[below(p, p->n_sides)];
	uint32_t i = c->live[below(p, c->n_live)], n_live = c->n_live;
	uint32_t other = pick_partner(p, i, side), joined = NONE;
	int64_t lost;

	if (other == NONE || !take_out(p, other, i))
		return;
	joined = join(p, i, other, side);
	put(p, joined == NONE ? i : joined);
	join_queue(p);
	lost = (int64_t)c->n_live - n_live;
	if (256 * lost <= mp_planner_compounds_may_lose(&p->random, HEAT))
		mp_planner_compounds_keep(c);
	else
		undo(p);
}

/* As long as fewer and fewer are left. False: the budget is spent. */
static bool repair_all(struct pad *p)
{
	uint32_t least = p->c.n_live, in_vain = 0;
	bool goes_on = true;

	while (goes_on && p->c.n_live > 1 && in_vain < PATIENCE * least) {
		repair(p);
		goes_on = mp_planner_compounds_charge(&p->c, p->job);
		in_vain++;
		if (p->c.n_live < least) {
			least = p->c.n_live;
			in_vain = 0;
		}
	}
	return goes_on;
}

/* -------------------------------------------------------------- row */

static void add_loads(struct pad *p)
{
	const struct problem *problem = p->job->problem;

	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		const struct buffer *b = &problem->buffers[i];

		p->load[b->start] += b->size;
		p->load[b->end] -= b->size;
	}
	for (uint32_t s = 1; s <= problem->n_steps; s++)
		p->load[s] += p->load[s - 1];
	while (p->limit >> p->size_shift >> AREA_BITS > 0)
		p->size_shift++;
}

static bool pad_init(
	struct pad *p, struct job *job, uint32_t attempt, uint32_t n_sides)
{
	uint64_t room = job->lower_bound / ROOM << attempt % ROOMS;

	*p = (struct pad){.job = job,
		.limit = job->lower_bound + room,
		.n_sides = n_sides,
		.random = job->seed + attempt};
	if (!mp_planner_compounds_init(&p->c, job->problem, job->arena))
		return false;
	p->load = NEW(job->arena, uint64_t, job->problem->n_steps + 1);
	p->queue = NEW(job->arena, uint32_t, p->c.room);
	if (!p->load || !p->queue)
		return false;
	add_loads(p);
	return true;
}

static bool plan_rest(struct pad *p, uint32_t attempt)
{
	struct job own = *p->job;

	own.seed += attempt;
	own.steps = num_min(own.steps, (uint64_t)REST * p->c.n_live);
	return mp_planner_rest_plan(&p->c, p->job, mp_planner_auto_run, &own);
}

/* Joins the buffers, and joins them anew where they do not fit well. Returns
 * how many compounds are left, UINT32_MAX if these are too many or the budget
 * is spent. */
static uint32_t join_buffers(struct pad *p)
{
	if (!join_all(p) || p->c.n_live > p->c.n_buffers / WORTH_IT ||
		!repair_all(p))
		return UINT32_MAX;
	return p->c.n_live;
}

/* Chance decides much, so there are many attempts, with more and less room. The
 * first takes exact sides, the second all, and then those go on that left
 * less. */
static bool try_again(struct job *job)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint32_t n_sides = EXACT_SIDES, least = UINT32_MAX, left;
	bool fine = true, worth_it = true;
	struct pad p;

	for (uint32_t k = 0; fine && worth_it && !mp_planner_job_done(job);
		k++) {
		if (!pad_init(&p, job, k / 2, k == 1 ? ALL_SIDES : n_sides))
			return false;
		left = join_buffers(&p);
		if (left < least) {
			least = left;
			n_sides = p.n_sides;
		}
		/* By name it plans whatever is left. */
		if (left != UINT32_MAX || job->height == UINT64_MAX)
			fine = plan_rest(&p, k);
		worth_it = mp_planner_job_step(job, 1) &&
			   (k == 0 || least != UINT32_MAX);
		mp_arena_rewind(job->arena, mark);
	}
	return fine;
}

enum outcome mp_planner_pad_run(struct job *job, int variant)
{
	uint64_t height = job->height;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (!mp_problem_is_plain(job->problem))
		return mp_planner_job_decline(job, NOT_PLAIN);
	if (job->problem->n_buffers == 0)
		return PLAN_GAVE_UP;
	if (!mp_planner_compounds_suit(job->problem))
		return mp_planner_job_decline(job, TOO_MANY_TO_JOIN);
	if (!try_again(job))
		return PLAN_FAILED;
	if (mp_planner_job_done(job))
		return PLAN_OPTIMAL;
	return job->height < height ? PLAN_FOUND : PLAN_GAVE_UP;
}
