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

#include "planners/any/greedy.h"
#include "planners/rows.h"

/* Every node of the search looks at all pairs until nothing changes, which
 * limits the pairs. Of graphs with 16 to 28 tensors, four in five are proved
 * within the default effort; far beyond, searching them is of no use. */
enum {
	MOST_BUFFERS = 64,
	MOST_PARTS = 512,
	MOST_PAIRS = 2048
};

enum side {
	OPEN,
	FIRST_BELOW,
	FIRST_ABOVE
};

/* Parts in conflict, of two buffers. */
struct pair {
	uint32_t first, second; /* buffers */
	int64_t below;		/* base of second - base of first, at least, if
				   first's part is below */
	int64_t above;		/* base of first - base of second, at least, if
				   it is above */
	uint8_t side;		/* enum side */
};

/* Bases that a buffer may still have. */
struct bases {
	int64_t least, most;
};

enum {
	/* Rounds of propagation a buffer before it is given up. Without
	 * alignments n + 1 rounds show a cycle; rounding up and down may take
	 * longer, by at most the steps of the greatest alignment. */
	PATIENCE = 64,
	PAIRS_A_STEP = 32, /* looked at in about 100 ns */
	ARENA_SHARE = 4	   /* one part in so many of the budget left goes to an
			      arena below the first: they are refuted the
			      sooner, the lower they are */
};

/* MOST_BUFFERS and MOST_PAIRS. */
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
	struct pair *pairs;
	uint32_t n_pairs;
	struct bases *bases; /* one a buffer */
	uint32_t *decided;   /* the pairs that are not open, in that order */
	uint32_t n_decided;
	bool is_lost;	    /* propagation did not settle: nothing is known */
	struct bases *kept; /* of each level: the bases of all buffers before
			       it */
	struct level *levels;
	uint32_t n_levels;
	uint64_t *offsets;
	int64_t limit;	/* the arena to be reached */
	uint64_t until; /* when job->spent is this, the limit is given up */
	bool failed;	/* the verifier refused an offer, or memory is out */
};

/* ------------------------------------------------------------ pairs */

static void add_pair(struct orient *o, uint32_t a, uint32_t b)
{
	const struct part *first = &o->problem->parts[a];
	const struct part *second = &o->problem->parts[b];
	int64_t low_a = (int64_t)first->base, low_b = (int64_t)second->base;

	o->pairs[o->n_pairs++] = (struct pair){first->buffer, second->buffer,
		low_a + (int64_t)first->size - low_b,
		low_b + (int64_t)second->size - low_a, OPEN};
}

/* False: there are more than MOST_PAIRS. */
static bool find_pairs(struct orient *o)
{
	const struct problem *p = o->problem;

	for (uint32_t a = 0; a < p->n_parts; a++)
		for (uint32_t b = a + 1; b < p->n_parts; b++) {
			if (p->parts[a].buffer == p->parts[b].buffer ||
				!mp_problem_conflict(p, a, b))
				continue;
			if (o->n_pairs == MOST_PAIRS)
				return false;
			add_pair(o, a, b);
		}
	return true;
}

/* True if the problem is small enough, but for the number of its pairs. */
static bool is_small(const struct problem *p)
{
	return p->n_buffers <= MOST_BUFFERS && p->n_parts <= MOST_PARTS &&
	       p->total_size < NUM_MAX_BYTES / 8;
}

/* ------------------------------------------------------ propagation */

static bool raise_least(struct orient *o, uint32_t buffer, int64_t least)
{
	struct bases *b = &o->bases[buffer];
	uint64_t align = o->problem->buffers[buffer].align;

	if (least <= b->least)
		return false;
	b->least = least > b->most ? least
				   : (int64_t)num_up((uint64_t)least, align);
	return true;
}

static bool lower_most(struct orient *o, uint32_t buffer, int64_t most)
{
	struct bases *b = &o->bases[buffer];
	uint64_t align = o->problem->buffers[buffer].align;

	if (most >= b->most)
		return false;
	b->most = most < b->least ? most
				  : (int64_t)num_down((uint64_t)most, align);
	return true;
}

/* True if the bases of one of the two have changed. */
static bool keep_apart(
	struct orient *o, uint32_t lower, uint32_t upper, int64_t difference)
{
	bool changed =
		raise_least(o, upper, o->bases[lower].least + difference);

	return lower_most(o, lower, o->bases[upper].most - difference) ||
	       changed;
}

static bool is_empty(const struct bases *bases)
{
	return bases->least > bases->most;
}

static void decide_pair(struct orient *o, uint32_t pair, enum side side)
{
	assert(pair < o->n_pairs && o->n_decided < o->n_pairs);
	assert(side != OPEN && o->pairs[pair].side == OPEN);
	o->pairs[pair].side = (uint8_t)side;
	o->decided[o->n_decided++] = pair;
}

/* How far the bases can still move if the pair is decided so; negative: this
 * side is ruled out. */
static int64_t slack_of(
	const struct orient *o, const struct pair *pair, enum side side)
{
	const struct bases *first = &o->bases[pair->first];
	const struct bases *second = &o->bases[pair->second];

	return side == FIRST_BELOW ? second->most - first->least - pair->below
				   : first->most - second->least - pair->above;
}

/* Decides a pair that has one way left, and keeps its buffers apart. False:
 * the pair has no way left. */
static bool propagate_pair(struct orient *o, uint32_t i, bool *changed)
{
	struct pair *pair = &o->pairs[i];
	bool below = slack_of(o, pair, FIRST_BELOW) >= 0;

	if (pair->side == OPEN) {
		bool above = slack_of(o, pair, FIRST_ABOVE) >= 0;

		if (below == above)
			return below;
		decide_pair(o, i, below ? FIRST_BELOW : FIRST_ABOVE);
	}
	*changed |=
		pair->side == FIRST_BELOW
			? keep_apart(o, pair->first, pair->second, pair->below)
			: keep_apart(o, pair->second, pair->first, pair->above);
	return !is_empty(&o->bases[pair->first]) &&
	       !is_empty(&o->bases[pair->second]);
}

/* True if the decided pairs put a buffer above itself: then the least bases,
 * without rounding, still grow after as many rounds as there are buffers
 * (Bellman, Ford). */
static bool has_cycle(const struct orient *o)
{
	int64_t base[MOST_BUFFERS] = {0}, least;
	uint32_t rounds = o->problem->n_buffers + 1;
	bool changed = true;

	for (; changed && rounds > 0; rounds--) {
		changed = false;
		for (uint32_t i = 0; i < o->n_decided; i++) {
			const struct pair *p = &o->pairs[o->decided[i]];
			bool below = p->side == FIRST_BELOW;
			int64_t *upper = &base[below ? p->second : p->first];

			least = below ? base[p->first] + p->below
				      : base[p->second] + p->above;
			changed |= least > *upper;
			*upper = least > *upper ? least : *upper;
		}
	}
	return changed;
}

/* Narrows bases and decides pairs until nothing follows any more. Adds the
 * pairs that it looks at to the work. False: there is no plan, unless is_lost
 * says that propagation did not settle. A cycle shows after n + 1 rounds;
 * rounding to alignments may go on longer. */
static bool propagate(struct orient *o, uint64_t *work)
{
	uint32_t n = o->problem->n_buffers, rounds = 0, decided;
	bool changed = true;

	for (uint32_t i = 0; i < n; i++)
		if (is_empty(&o->bases[i]))
			return false;
	while (changed) {
		changed = false;
		decided = o->n_decided;
		for (uint32_t i = 0; i < o->n_pairs; i++)
			if (!propagate_pair(o, i, &changed))
				return false;
		*work += o->n_pairs;
		rounds = o->n_decided > decided ? 0 : rounds + 1;
		if (rounds == n + 1 && has_cycle(o))
			return false;
		o->is_lost = rounds > n * PATIENCE;
		if (o->is_lost)
			return false;
	}
	return true;
}

/* --------------------------------------------------- start and undo */

/* No buffer reaches beyond the limit. */
static void clip_bases(struct orient *o, int64_t limit)
{
	const struct buffer *buffers = o->problem->buffers;

	for (uint32_t i = 0; i < o->problem->n_buffers; i++)
		lower_most(o, i, limit - (int64_t)buffers[i].size);
}

/* Opens all but the first n_decided pairs; the bases stay as they are. */
static void open_pairs(struct orient *o, uint32_t n_decided)
{
	assert(n_decided <= o->n_decided);
	while (o->n_decided > n_decided)
		o->pairs[o->decided[--o->n_decided]].side = OPEN;
}

/* Opens all pairs; every base is one of an arena of so many bytes. */
static void start_within(struct orient *o, int64_t limit)
{
	const struct problem *p = o->problem;

	assert(limit >= 0);
	open_pairs(o, 0);
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		int64_t fixed = (int64_t)p->buffers[i].offset;

		o->bases[i] = (struct bases){0, limit};
		if (p->buffers[i].offset != NO_OFFSET)
			o->bases[i] = (struct bases){fixed, fixed};
	}
	clip_bases(o, limit);
}

/* ----------------------------------------------------------- search */

/* True if the two parts overlap at the least bases. */
static bool overlaps(const struct orient *o, const struct pair *pair)
{
	const struct bases *bases = o->bases;
	int64_t apart = bases[pair->second].least - bases[pair->first].least;

	return apart < pair->below && -apart < pair->above;
}

/* The open pair that overlaps and has the least room, or NONE. */
static uint32_t pick_pair(const struct orient *o)
{
	uint32_t picked = NONE;
	int64_t least = INT64_MAX, room;

	for (uint32_t i = 0; i < o->n_pairs; i++) {
		const struct pair *pair = &o->pairs[i];

		if (pair->side != OPEN || !overlaps(o, pair))
			continue;
		room = slack_of(o, pair, FIRST_BELOW) / 2 +
		       slack_of(o, pair, FIRST_ABOVE) / 2;
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
	const struct pair *pair = &o->pairs[i];
	size_t n = o->problem->n_buffers;
	bool below = slack_of(o, pair, FIRST_BELOW) >=
		     slack_of(o, pair, FIRST_ABOVE);

	assert(o->n_levels < o->n_pairs && pair->side == OPEN);
	memcpy(o->kept + o->n_levels * n, o->bases, sizeof(*o->bases) * n);
	o->levels[o->n_levels++] = (struct level){
		i, below ? FIRST_ABOVE : FIRST_BELOW, o->n_decided};
	decide_pair(o, i, below ? FIRST_BELOW : FIRST_ABOVE);
}

/* Returns to the last level with another way for its pair, and takes that.
 * False: there is none. */
static bool backtrack(struct orient *o)
{
	size_t n = o->problem->n_buffers;

	for (; o->n_levels > 0; o->n_levels--) {
		struct level *level = &o->levels[o->n_levels - 1];

		open_pairs(o, level->n_decided);
		if (level->other == OPEN)
			continue;
		memcpy(o->bases, o->kept + (o->n_levels - 1) * n,
			sizeof(*o->kept) * n);
		decide_pair(o, level->pair, level->other);
		level->other = OPEN;
		clip_bases(o, o->limit);
		return true;
	}
	return false;
}

/* Offers the least bases as a plan; from now on the arena is smaller. */
static void offer_least(struct orient *o)
{
	for (uint32_t i = 0; i < o->problem->n_buffers; i++)
		o->offsets[i] = (uint64_t)o->bases[i].least;
	o->failed = !mp_planner_job_offer(o->job, o->offsets);
	o->limit = (int64_t)o->job->height - 1;
}

static bool goes_on(struct orient *o)
{
	return !o->failed && !o->is_lost && !mp_planner_job_done(o->job) &&
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
	start_within(o, o->limit);
	while (goes_on(o)) {
		uint64_t work = 0;
		bool possible = propagate(o, &work);
		uint32_t pair = possible ? pick_pair(o) : NONE;

		mp_planner_job_step(o->job, work / PAIRS_A_STEP + 1);
		if (pair != NONE) {
			branch_on(o, pair);
			continue;
		}
		if (possible)
			offer_least(o);
		if (o->is_lost || backtrack(o))
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

/* Room for the pairs, and for all that is of one buffer or one pair. False:
 * memory is out, or there are too many pairs. */
static bool make_room(struct orient *o)
{
	uint64_t n = o->problem->n_buffers, parts = o->problem->n_parts;
	uint64_t most = num_min(parts * (parts - 1) / 2, MOST_PAIRS);
	struct arena *arena = o->job->arena;

	o->pairs = NEW(arena, struct pair, most);
	o->bases = NEW(arena, struct bases, n);
	o->decided = NEW(arena, uint32_t, most);
	o->offsets = NEW(arena, uint64_t, n);
	if (!o->pairs || !o->bases || !o->decided || !o->offsets ||
		!find_pairs(o))
		return false;
	o->kept = NEW(arena, struct bases, n * o->n_pairs);
	o->levels = NEW(arena, struct level, o->n_pairs);
	return o->kept && o->levels;
}

enum outcome mp_planner_orient_run(struct job *job, int variant)
{
	struct orient o = {.job = job, .problem = job->problem};

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (!is_small(job->problem))
		return mp_planner_job_decline(job, TOO_LARGE);
	if (job->height == UINT64_MAX &&
		mp_planner_greedy_run(job, GREEDY_SIZE) == PLAN_FAILED)
		return PLAN_FAILED;
	if (mp_planner_job_done(job))
		return PLAN_OPTIMAL;
	if (make_room(&o))
		return search_all(&o);
	return job->error->code == MEMPLAN_OK
		       ? mp_planner_job_decline(job, TOO_LARGE)
		       : PLAN_FAILED;
}
