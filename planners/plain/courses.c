/*
 * courses: dives that lay a plateau like a course of bricks: the best chain of
 * the items that lie within it, from wall to wall (see chain.h). So the skyline
 * stays level, and where it is level more items fit.
 *
 * What size, edges and empty sections are worth differs from problem to
 * problem: weights that gave the best plan so far are changed by chance, and
 * stay changed if the plan is no higher (an evolution strategy of one parent:
 * Rechenberg, 1973). Most dives end early, so they are run ahead.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include "base/prng.h"
#include "planners/ahead.h"
#include "planners/plain/chain.h"
#include "planners/plain/dive.h"

enum {
	ONE = CHAIN_ONE,
	FIRST = 8, /* dives; if none of these is complete, it is no matter of
		      weights */
	VAIN = 60  /* dives in a row that are not complete, later */
};

struct courses {
	struct dive dive; /* the first member: fill finds the others by it */
	struct chain chain;
};

/* ---------------------------------------------------------- courses */

static void place(struct courses *c, uint32_t item)
{
	mp_planner_dive_place(&c->dive, item);
	mp_planner_chain_take(&c->chain, item);
}

/* Lays the best chain from wall to wall, at least one item. False: none lies
 * within. */
static bool lay_course(struct courses *c, uint32_t start, uint32_t end)
{
	struct dive *d = &c->dive;
	struct chain *chain = &c->chain;
	int64_t floor = d->skyline.floor[start];
	bool found;

	chain->looks = 0;
	found = mp_planner_chain_find(chain, start, end,
		mp_planner_dive_before(d, start) - floor,
		mp_planner_dive_behind(d, end) - floor);
	d->looks += chain->looks;
	for (uint32_t k = 0; k < chain->n_found; k++)
		place(c, chain->found[k]);
	if (found && chain->n_found == 0)
		place(c, mp_planner_range_tree_item(
				 &d->tree, start, end, &d->looks));
	return found;
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

static struct chain_weights change(
	uint64_t *random, struct chain_weights w, bool far)
{
	int64_t reach = far ? 2 : 1;

	w.size += by_chance(random, reach * ONE / 3);
	w.edge += by_chance(random, reach * ONE);
	w.gap += by_chance(random, reach * ONE);
	return mp_planner_chain_bounded(w);
}

/* ------------------------------------------------------------ dives */

static bool courses_init(
	struct courses *c, const struct packing *packing, struct arena *arena)
{
	static const enum rank_key keys[RANK_KEYS] = {
		RANK_SECTIONS, RANK_SIZE, RANK_START};
	int64_t *offset = NEW(arena, int64_t, packing->n_items);

	if (!offset || !mp_planner_chain_init(&c->chain, packing, arena) ||
		!mp_planner_dive_init(&c->dive, packing, keys, offset, arena))
		return false;
	c->dive.fill = fill;
	return true;
}

/* A dive with these weights, to a plan that is no higher than the best. */
static bool try_weights(
	struct courses *c, struct job *job, struct chain_weights w)
{
	mp_planner_chain_weigh(&c->chain, w);
	mp_planner_chain_reset(&c->chain);
	c->dive.target = (int64_t)(job->height / c->dive.packing->unit);
	return mp_planner_dive(&c->dive, job);
}

/* ---------------------------------------------------------- weights */

struct attempts {
	struct job *job;
	const struct packing *packing;
	struct courses at[AHEAD_SLOTS];
	struct chain_weights best;
	uint64_t random;
	uint32_t done, vain; /* all; those since a plan */
	uint64_t whole;	     /* steps of the dive that found it */
};

static bool make_courses(void *context, uint32_t slot, struct arena *arena)
{
	struct attempts *all = context;

	return courses_init(&all->at[slot], all->packing, arena);
}

/* Weights that are next if so many more are in vain. */
static struct chain_weights next_weights(
	const struct attempts *all, uint32_t more, uint64_t *random)
{
	uint32_t k = all->done + more;

	return k == 0 ? all->best : change(random, all->best, k % 2 != 0);
}

static enum pass_end try_next(void *context, struct pass *pass, struct job *job)
{
	struct attempts *all = context;
	uint64_t random = all->random;
	struct chain_weights w = all->best;

	for (uint32_t k = 0; k <= pass->index; k++)
		w = next_weights(all, k, &random);
	return try_weights(&all->at[pass->slot], job, w) ? PASS_OTHERWISE
							 : PASS_AS_EXPECTED;
}

static bool take_next(void *context, const struct pass *pass)
{
	struct attempts *all = context;
	struct chain_weights w = next_weights(all, 0, &all->random);

	all->done++;
	all->vain++;
	if (pass->end == PASS_AS_EXPECTED)
		return true;
	all->best = w;
	all->vain = 0;
	all->whole = pass->spent;
	return mp_planner_dive_offer(&all->at[pass->slot].dive, all->job);
}

/* How many more dives may be in vain. */
static uint32_t left_of(const struct attempts *all)
{
	return (all->done > all->vain ? VAIN : FIRST) - all->vain;
}

/* Where the last dive has found a plan the next one may well do so too, and two
 * of very many items take as much longer side by side: none is run ahead. */
static uint32_t in_chain(const struct attempts *all)
{
	return all->vain == 0 ? 1 : left_of(all);
}

/* A dive to a lower plan takes a little longer than the one before, as less
 * fits by chance: it does not begin where the steps would end it. */
static bool may_dive(const struct attempts *all)
{
	return all->vain > 0 || all->job->steps / 5 >= all->whole / 4;
}

/* -------------------------------------------------------------- row */

enum outcome mp_planner_courses_run(struct job *job, int variant)
{
	static const struct ahead_row row = {
		.make = make_courses, .run = try_next, .take = take_next};
	struct packing packing;
	struct attempts all = {.job = job,
		.packing = &packing,
		.best = {CHAIN_SIZE, CHAIN_EDGE, CHAIN_GAP},
		.random = job->seed};
	struct ahead *ahead;
	enum outcome outcome;
	bool fine = true;

	(void)variant;
	if (!mp_planner_job_is_flat(job))
		return PLAN_GAVE_UP;
	if (!mp_planner_dive_first(job, &outcome))
		return outcome;
	ahead = mp_planner_ahead_open(job, &row, &all);
	if (!ahead || !mp_planner_packing_of(&packing, job, job->arena))
		return PLAN_FAILED;
	while (fine && left_of(&all) > 0 && job->steps > 0 && may_dive(&all) &&
		!job->cut_short && !mp_planner_job_done(job))
		fine = mp_planner_ahead_run(ahead, in_chain(&all));
	mp_planner_ahead_close(ahead);
	return fine ? mp_planner_job_outcome(job) : PLAN_FAILED;
}
