/*
 * orient: branch and bound over the orientation of conflicts, exact, for small
 * problems of any kind. To orient a conflict is to decide which of the two
 * parts lies below the other: a disjunctive arc (Balas, Operations Research
 * 17(6), 1969; for packing in two dimensions, Clautiaux, Jouglet, Carlier,
 * Moukrim, Computers and Operations Research 35(3), 2008).
 *
 * A node is an arena smaller than the best plan and some arcs that are decided.
 * These narrow the bases of the buffers from below and from above; where only
 * one way of an arc is left, it is decided too. If no two parts overlap at the
 * least bases, these are a plan. Otherwise the search branches on a pair that
 * overlaps there. Streams, groups, gaps, fixed offsets, alignments, pairs apart
 * and branches are all arcs and bases.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "planners/any/arcs.h"
#include "planners/any/greedy.h"
#include "planners/rows.h"

enum {
	PAIRS_A_STEP = 32, /* looked at in about 100 ns */
	ARENA_SHARE = 4	   /* one part in so many of the budget left goes to an
			      arena below the first: they are refuted the
			      sooner, the lower they are */
};

/* ARCS_MOST_BUFFERS and ARCS_MOST_PAIRS. */
static const char TOO_LARGE[] =
	"takes small problems: 64 buffers and 2,048 pairs at most";

/* A pair that was decided by branching. */
struct level {
	uint32_t pair;
	uint8_t other;	    /* the side to be tried next; OPEN: both were */
	uint32_t n_decided; /* pairs, before this one */
};

struct orient {
	struct job *job;
	const struct problem *problem;
	struct arcs arcs;
	struct bases *kept; /* of each level: the bases of all buffers before
			       it */
	struct level *levels;
	uint32_t n_levels;
	uint64_t *offsets;
	int64_t limit;	/* the arena to be reached */
	uint64_t until; /* when job->spent is this, the limit is given up */
	bool failed;	/* the verifier refused an offer, or memory is out */
};

/* True if the two parts overlap at the least bases. */
static bool overlaps(const struct orient *o, const struct pair *pair)
{
	const struct bases *bases = o->arcs.bases;
	int64_t apart = bases[pair->second].least - bases[pair->first].least;

	return apart < pair->below && -apart < pair->above;
}

/* The open pair that overlaps and has the least room, or NONE. */
static uint32_t pick_pair(const struct orient *o)
{
	uint32_t picked = NONE;
	int64_t least = INT64_MAX, room;

	for (uint32_t i = 0; i < o->arcs.n_pairs; i++) {
		const struct pair *pair = &o->arcs.pairs[i];

		if (pair->side != OPEN || !overlaps(o, pair))
			continue;
		room = mp_planner_arcs_slack(&o->arcs, pair, FIRST_BELOW) / 2 +
		       mp_planner_arcs_slack(&o->arcs, pair, FIRST_ABOVE) / 2;
		if (room >= least)
			continue;
		least = room;
		picked = i;
	}
	return picked;
}

/* Decides the pair the way that leaves more room; the other comes later. */
static void branch_on(struct orient *o, uint32_t i)
{
	struct arcs *arcs = &o->arcs;
	const struct pair *pair = &arcs->pairs[i];
	size_t n = o->problem->n_buffers;
	bool below = mp_planner_arcs_slack(arcs, pair, FIRST_BELOW) >=
		     mp_planner_arcs_slack(arcs, pair, FIRST_ABOVE);

	assert(o->n_levels < arcs->n_pairs && pair->side == OPEN);
	memcpy(o->kept + o->n_levels * n, arcs->bases,
		sizeof(*arcs->bases) * n);
	o->levels[o->n_levels++] = (struct level){
		i, below ? FIRST_ABOVE : FIRST_BELOW, arcs->n_decided};
	mp_planner_arcs_decide(arcs, i, below ? FIRST_BELOW : FIRST_ABOVE);
}

/* Returns to the last level with another way for its pair, and takes that.
 * False: there is none. */
static bool backtrack(struct orient *o)
{
	size_t n = o->problem->n_buffers;

	for (; o->n_levels > 0; o->n_levels--) {
		struct level *level = &o->levels[o->n_levels - 1];

		mp_planner_arcs_undo(&o->arcs, level->n_decided);
		if (level->other == OPEN)
			continue;
		memcpy(o->arcs.bases, o->kept + (o->n_levels - 1) * n,
			sizeof(*o->kept) * n);
		mp_planner_arcs_decide(&o->arcs, level->pair, level->other);
		level->other = OPEN;
		mp_planner_arcs_clip(&o->arcs, o->limit);
		return true;
	}
	return false;
}

/* Offers the least bases as a plan; from now on the arena is smaller. */
static void offer_least(struct orient *o)
{
	for (uint32_t i = 0; i < o->problem->n_buffers; i++)
		o->offsets[i] = (uint64_t)o->arcs.bases[i].least;
	o->failed = !mp_planner_job_offer(o->job, o->offsets);
	o->limit = (int64_t)o->job->height - 1;
}

static bool goes_on(struct orient *o)
{
	return !o->failed && !o->arcs.is_lost && !mp_planner_job_done(o->job) &&
	       mp_planner_job_step(o->job, 1) && o->job->spent < o->until;
}

/* Finds ever smaller plans within the limit, or proves that there is none below
 * the last one. */
static void search_within(struct orient *o, uint64_t limit, uint64_t steps)
{
	assert(limit < o->job->height && limit < NUM_MAX_BYTES);
	o->limit = (int64_t)limit;
	o->until = o->job->spent + steps;
	o->n_levels = 0;
	mp_planner_arcs_start(&o->arcs, o->limit);
	while (goes_on(o)) {
		uint64_t work = 0;
		bool possible = mp_planner_arcs_propagate(&o->arcs, &work);
		uint32_t pair = possible ? pick_pair(o) : NONE;

		mp_planner_job_step(o->job, work / PAIRS_A_STEP + 1);
		if (pair != NONE) {
			branch_on(o, pair);
			continue;
		}
		if (possible)
			offer_least(o);
		if (o->arcs.is_lost || backtrack(o))
			continue;
		mp_planner_job_prove(
			o->job, (uint64_t)o->limit + 1, BOUND_SEARCH);
		return;
	}
}

/* Where the best plan cannot be proved optimal, tries arenas between the bound
 * and it, from the middle down: the lower, the sooner they are refuted. */
static void raise_bound(struct orient *o)
{
	struct job *job = o->job;
	uint64_t most = job->height - 1, limit;

	o->until = UINT64_MAX;
	while (goes_on(o) && job->lower_bound < most) {
		limit = job->lower_bound + (most - job->lower_bound) / 2;
		search_within(o, limit, job->steps / ARENA_SHARE);
		o->until = UINT64_MAX;
		most = num_min(most, job->height - 1);
		if (job->lower_bound <= limit)
			most = num_min(most, limit);
	}
}

static enum outcome search_all(struct orient *o)
{
	struct job *job = o->job;
	bool limited = job->capacity < job->height - 1;

	search_within(o, limited ? job->capacity : job->height - 1,
		limited ? job->steps : job->steps / 2);
	if (!limited)
		raise_bound(o);
	if (o->failed)
		return PLAN_FAILED;
	if (mp_planner_job_done(job))
		return PLAN_OPTIMAL;
	return job->lower_bound > job->capacity ? PLAN_NO_FIT : PLAN_FOUND;
}

enum outcome mp_planner_orient_run(struct job *job, int variant)
{
	struct orient o = {.job = job, .problem = job->problem};
	size_t n = job->problem->n_buffers;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (!mp_planner_arcs_fit(job->problem))
		return mp_planner_job_decline(job, TOO_LARGE);
	if (job->height == UINT64_MAX &&
		mp_planner_greedy_run(job, GREEDY_SIZE) == PLAN_FAILED)
		return PLAN_FAILED;
	if (mp_planner_job_done(job))
		return PLAN_OPTIMAL;
	if (!mp_planner_arcs_init(&o.arcs, job->problem, job->arena))
		return job->error->code
			       ? PLAN_FAILED
			       : mp_planner_job_decline(job, TOO_LARGE);
	o.kept = NEW(job->arena, struct bases, n * o.arcs.n_pairs);
	o.levels = NEW(job->arena, struct level, o.arcs.n_pairs);
	o.offsets = NEW(job->arena, uint64_t, n);
	if (!o.kept || !o.levels || !o.offsets)
		return PLAN_FAILED;
	return search_all(&o);
}
