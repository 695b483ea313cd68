/*
 * courses: dives that lay a plateau like a course of bricks. Of the items that
 * lie within it, a chain is found from wall to wall: it is worth what its items
 * are worth, which is more for long and large ones, less something for each
 * change of height and for each section that stays empty. So the skyline stays
 * level, and where it is level more items fit. That is the shortest path in a
 * graph of sections: for each section, the best ways to reach it that end at
 * different heights.
 *
 * What size, edges and empty sections are worth differs from problem to
 * problem: weights that gave the best plan so far are changed by chance, and
 * stay changed if the plan is no higher (an evolution strategy of one parent:
 * Rechenberg, 1973). Most dives end early, so they are run ahead.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>

#include "base/prng.h"
#include "planners/ahead.h"
#include "planners/plain/dive.h"

enum {
	TIPS = 6,	/* ways to reach a section that are kept */
	ONE = 256,	/* of weights */
	SIZE = 2 * ONE, /* the first weights: of the logarithm of a size, */
	EDGE = 2898,	/* 10; its logarithm, */
	GAP = 9 * ONE / 2,
	MOST = 24 * ONE,
	LEAST_GAP = ONE / 4,
	FIRST = 8, /* dives; if none of these is complete, it is no matter of
		      weights */
	VAIN = 60, /* dives in a row that are not complete, later */
	LOOKS_AN_ITEM = 2
};

struct weights {
	int64_t size; /* of the logarithm of a size; that of a lifetime has ONE
		       */
	int64_t edge; /* logarithm of what a change of height costs */
	int64_t gap;  /* an empty section */
};

/* A chain that ends before a section. */
struct tip {
	int64_t top; /* above the floor: of its last item, or of the wall */
	int64_t worth;
	uint32_t item;	 /* the last; NONE: an empty section, or none yet */
	uint32_t before; /* the tip where that begins */
};

struct courses {
	struct dive dive; /* the first member: fill finds the others by it */
	struct weights weights;
	int64_t edge;	     /* what a change of height costs */
	int64_t *worth;	     /* of an item */
	struct bits waiting; /* i + 1 of each item i not placed, and the end */
	struct tip *tips;    /* TIPS a section, and behind the last */
	uint32_t *n_tips;
};

/* ------------------------------------------------------------- tips */

/* The tip to go on from with an item of that height. */
static struct tip go_on(const struct courses *c, uint32_t section, int64_t top)
{
	const struct tip *tips = &c->tips[(size_t)section * TIPS];
	struct tip best = {.top = top, .worth = INT64_MIN, .item = NONE};

	for (uint32_t k = 0; k < c->n_tips[section]; k++) {
		int64_t worth =
			tips[k].worth - (tips[k].top == top ? 0 : c->edge);

		if (worth > best.worth) {
			best.worth = worth;
			best.before = k;
		}
	}
	return best;
}

/* Of each height the best is kept, and of all the best few. */
static void add_tip(struct courses *c, uint32_t section, struct tip tip)
{
	struct tip *tips = &c->tips[(size_t)section * TIPS];
	uint32_t n = c->n_tips[section], at = 0;

	while (at < n && tips[at].top != tip.top)
		at++;
	if (at == TIPS) {
		at = 0;
		for (uint32_t k = 1; k < TIPS; k++)
			if (tips[k].worth < tips[at].worth)
				at = k;
	}
	if (at == n)
		c->n_tips[section]++;
	else if (tips[at].worth >= tip.worth)
		return;
	tips[at] = tip;
}

/* From a section to the next one, and to the end of each item that begins
 * there and lies within the plateau. Says how many. */
static uint32_t spread(struct courses *c, uint32_t section, uint32_t end)
{
	const struct packing *p = c->dive.packing;
	uint32_t last = p->first[section + 1], n = 0;
	struct tip tip = go_on(c, section, 0);

	tip.worth -= c->weights.gap;
	add_tip(c, section + 1, tip);
	for (uint32_t i = bits_above(&c->waiting, p->first[section]) - 1;
		i < last && p->end[i] <= end;
		i = bits_above(&c->waiting, i + 1) - 1) {
		tip = go_on(c, section, p->size[i]);
		tip.worth += c->worth[i];
		tip.item = i;
		add_tip(c, p->end[i], tip);
		n++;
	}
	c->dive.looks += n * LOOKS_AN_ITEM + 1;
	return n;
}

/* ---------------------------------------------------------- courses */

static void place(struct courses *c, uint32_t item)
{
	mp_planner_dive_place(&c->dive, item);
	bits_remove(&c->waiting, item + 1);
}

/* Lays the best chain from wall to wall, at least one item. False: none lies
 * within. */
static bool lay_course(struct courses *c, uint32_t start, uint32_t end)
{
	const struct dive *d = &c->dive;
	int64_t floor = d->skyline.floor[start];
	uint32_t n = 0, section = end, k, best;
	bool placed = false;

	for (uint32_t s = start; s <= end; s++)
		c->n_tips[s] = 0;
	add_tip(c, start,
		(struct tip){.top = mp_planner_dive_before(d, start) - floor,
			.item = NONE});
	for (uint32_t s = start; s < end; s++)
		n += spread(c, s, end);
	if (n == 0)
		return false;
	k = go_on(c, end, mp_planner_dive_behind(d, end) - floor).before;
	while (section > start) {
		struct tip tip = c->tips[(size_t)section * TIPS + k];

		section = tip.item == NONE ? section - 1
					   : d->packing->start[tip.item];
		k = tip.before;
		if (tip.item != NONE)
			place(c, tip.item);
		placed |= tip.item != NONE;
	}
	if (!placed) {
		best = mp_planner_range_tree_best(
			&d->tree, start, end, &c->dive.looks);
		place(c, d->order[best]);
	}
	return true;
}

static bool fill(struct dive *dive, uint32_t start, uint32_t end)
{
	return lay_course((struct courses *)dive, start, end);
}

/* ---------------------------------------------------------- weights */

/* Zero on average, mostly less than the reach, never more than thrice. */
static int64_t by_chance(uint64_t *random, int64_t reach)
{
	int64_t sum = -3 * reach;

	for (int k = 0; k < 6; k++)
		sum += (int64_t)(mp_prng(random) % (uint64_t)reach);
	return sum;
}

static int64_t within(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

static struct weights change(uint64_t *random, struct weights w, bool far)
{
	int64_t reach = far ? 2 : 1;

	w.size += by_chance(random, reach * ONE / 3);
	w.edge += by_chance(random, reach * ONE);
	w.gap += by_chance(random, reach * ONE);
	return (struct weights){.size = within(w.size, 0, MOST),
		.edge = within(w.edge, 0, MOST),
		.gap = within(w.gap, LEAST_GAP, MOST)};
}

static void weigh(struct courses *c)
{
	const struct packing *p = c->dive.packing;
	int64_t edge = c->weights.edge;

	c->edge = ((ONE + edge % ONE) << (edge / ONE)) / ONE;
	for (uint32_t i = 0; i < p->n_items; i++) {
		uint32_t life = p->end[i] - p->start[i];

		c->worth[i] =
			life * ((int64_t)num_log2(life) +
				       c->weights.size *
					       (int64_t)num_log2(
						       (uint64_t)p->size[i]) /
					       ONE);
	}
}

/* ------------------------------------------------------------ dives */

static bool courses_init(
	struct courses *c, const struct packing *packing, struct arena *arena)
{
	static const enum rank_key keys[RANK_KEYS] = {
		RANK_SECTIONS, RANK_SIZE, RANK_START};
	size_t n = packing->n_items, room = packing->n_sections + (size_t)1;
	int64_t *offset = NEW(arena, int64_t, n);

	*c = (struct courses){.worth = NEW(arena, int64_t, n),
		.tips = NEW(arena, struct tip, room * TIPS),
		.n_tips = NEW(arena, uint32_t, room)};
	if (!offset || !c->worth || !c->tips || !c->n_tips ||
		!bits_init(&c->waiting, packing->n_items + 2, arena) ||
		!mp_planner_dive_init(&c->dive, packing, keys, offset, arena))
		return false;
	c->dive.fill = fill;
	return true;
}

/* A dive with these weights, to a plan that is no higher than the best. */
static bool try_weights(struct courses *c, struct job *job, struct weights w)
{
	c->weights = w;
	weigh(c);
	for (uint32_t i = 0; i <= c->dive.packing->n_items; i++)
		bits_add(&c->waiting, i + 1);
	c->dive.target = (int64_t)(job->height / c->dive.packing->unit);
	return mp_planner_dive(&c->dive, job);
}

/* ---------------------------------------------------------- weights */

struct attempts {
	struct job *job;
	const struct packing *packing;
	struct courses at[AHEAD_SLOTS];
	struct weights best;
	uint64_t random;
	uint32_t done, vain; /* all; those since a plan */
};

static bool make_courses(void *context, uint32_t slot, struct arena *arena)
{
	struct attempts *all = context;

	return courses_init(&all->at[slot], all->packing, arena);
}

/* Weights that are next if so many more are in vain. */
static struct weights next_weights(
	const struct attempts *all, uint32_t more, uint64_t *random)
{
	uint32_t k = all->done + more;

	return k == 0 ? all->best : change(random, all->best, k % 2 != 0);
}

static enum pass_end try_next(void *context, struct pass *pass, struct job *job)
{
	struct attempts *all = context;
	uint64_t random = all->random;
	struct weights w = all->best;

	for (uint32_t k = 0; k <= pass->index; k++)
		w = next_weights(all, k, &random);
	return try_weights(&all->at[pass->slot], job, w) ? PASS_OTHERWISE
							 : PASS_AS_EXPECTED;
}

static bool take_next(void *context, const struct pass *pass)
{
	struct attempts *all = context;
	struct weights w = next_weights(all, 0, &all->random);

	all->done++;
	all->vain++;
	if (pass->end == PASS_AS_EXPECTED)
		return true;
	all->best = w;
	all->vain = 0;
	return mp_planner_dive_offer(&all->at[pass->slot].dive, all->job);
}

/* How many more dives may be in vain. */
static uint32_t left_of(const struct attempts *all)
{
	return (all->done > all->vain ? VAIN : FIRST) - all->vain;
}

/* -------------------------------------------------------------- row */

enum outcome mp_planner_courses_run(struct job *job, int variant)
{
	static const struct ahead_row row = {make_courses, try_next, take_next};
	struct packing packing;
	struct attempts all = {.job = job,
		.packing = &packing,
		.best = {SIZE, EDGE, GAP},
		.random = job->seed};
	struct ahead *ahead;
	bool fine = true;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (job->problem->n_buffers == 0)
		return PLAN_GAVE_UP;
	if (!mp_problem_is_flat(job->problem))
		return mp_planner_job_decline(job, NOT_FLAT);
	if (job->height == UINT64_MAX &&
		mp_planner_dive_run(job, 0) == PLAN_FAILED)
		return PLAN_FAILED;
	ahead = mp_planner_ahead_open(job, &row, &all);
	if (!ahead ||
		!mp_planner_packing_init(&packing, job->problem, job->arena))
		return PLAN_FAILED;
	while (fine && left_of(&all) > 0 && job->steps > 0 && !job->cut_short &&
		!mp_planner_job_done(job))
		fine = mp_planner_ahead_run(ahead, left_of(&all));
	mp_planner_ahead_close(ahead);
	return fine ? mp_planner_job_outcome(job) : PLAN_FAILED;
}
