/*
 * Ejection: the arena is made lower than the best plan, what sticks out has to
 * go elsewhere, and what is in its way there is thrown out in turn, until
 * nobody waits. A buffer goes where those in its way weigh least. Whoever has
 * to be placed again becomes heavier, so that a fight over the same bytes ends
 * and others have to give way (Nagata and Braysy, Operations Research Letters
 * 37(5), 2009, for routes; the idea of weights is that of guided local search).
 *
 * All that it asks is which bases of a buffer put it on which others, so
 * streams, stacks, alignments, fixed and kept apart buffers are all the same.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/prng.h"
#include "base/sort.h"
#include "planners/any/greedy.h"
#include "planners/rows.h"

enum {
	FIRST_HITS = 256,
	SHARE = 8,	   /* one part in so many of the budget is a round's, */
	STEPS_EACH = 1000, /* and no more than this for each buffer */
	LEAST = 4000,
	UNIT_BITS = 20,	 /* of a buffer's first weight, at most */
	WEIGHT_BITS = 30 /* so that no sum of weights overflows */
};

/* Bases [low, high) of the buffer at hand put it on a placed one, the owner. */
struct hits {
	uint64_t *low, *high;
	uint32_t *owner;
	uint32_t *enter, *leave; /* indices of these by low, and by high */
	uint32_t *spare;
	uint32_t n, room;
};

struct eject {
	struct job *job;
	const struct problem *problem;
	struct conflicts conflicts; /* of all that do not wait */
	uint64_t *offsets;	    /* NO_OFFSET: waits */
	uint32_t *waiting;	    /* the last one is next */
	uint32_t n_waiting;
	uint64_t *unit;	  /* what a buffer's weight grows by */
	uint64_t *weight; /* what throwing it out costs */
	uint32_t *depth;  /* of an owner: hits at the base at hand */
	struct hits hits;
	uint64_t limit; /* the arena to be reached */
	uint64_t random;
	bool failed; /* memory is out */
};

/* ------------------------------------------------------------- hits */

/* Room for n hits; what was noted stays. */
static bool make_room(struct eject *e, uint32_t n)
{
	struct arena *arena = e->job->arena;
	struct hits old = e->hits;

	e->hits.low = NEW(arena, uint64_t, n);
	e->hits.high = NEW(arena, uint64_t, n);
	e->hits.owner = NEW(arena, uint32_t, n);
	e->hits.enter = NEW(arena, uint32_t, n);
	e->hits.leave = NEW(arena, uint32_t, n);
	e->hits.spare = NEW(arena, uint32_t, n);
	e->hits.room = n;
	e->failed = !e->hits.low || !e->hits.high || !e->hits.owner ||
		    !e->hits.enter || !e->hits.leave || !e->hits.spare;
	if (e->failed || old.n == 0)
		return !e->failed;
	memcpy(e->hits.low, old.low, sizeof(*old.low) * old.n);
	memcpy(e->hits.high, old.high, sizeof(*old.high) * old.n);
	memcpy(e->hits.owner, old.owner, sizeof(*old.owner) * old.n);
	return true;
}

static void note_hit(void *context, uint32_t met, struct range bases)
{
	struct eject *e = context;
	uint32_t n = e->hits.n;

	if (bases.low >= bases.high || e->failed ||
		(n == e->hits.room && !make_room(e, n * 2)))
		return;
	e->hits.low[n] = bases.low;
	e->hits.high[n] = bases.high;
	e->hits.owner[n] = met;
	e->hits.n++;
}

/* Who is in the way of a buffer, and where. */
static bool find_hits(struct eject *e, uint32_t buffer)
{
	struct hits *h = &e->hits;

	h->n = 0;
	mp_planner_conflicts_hits(&e->conflicts, buffer, note_hit, e);
	if (e->failed)
		return false;
	for (uint32_t i = 0; i < h->n; i++)
		h->enter[i] = h->leave[i] = i;
	mp_sort_radix(h->enter, h->spare, h->n, h->low);
	mp_sort_radix(h->leave, h->spare, h->n, h->high);
	return true;
}

/* ----------------------------------------------------------- choice */

/* A walk over bases upwards. */
struct sweep {
	uint32_t entered, left; /* hits */
	uint64_t cost;		/* of those whose bases the walk is in */
	uint32_t fixed;		/* and how many of them cannot leave */
};

static void enter(struct eject *e, struct sweep *sweep, uint32_t owner)
{
	if (e->depth[owner]++ > 0)
		return;
	sweep->cost += e->weight[owner];
	sweep->fixed += e->problem->buffers[owner].offset != NO_OFFSET;
}

static void leave(struct eject *e, struct sweep *sweep, uint32_t owner)
{
	if (--e->depth[owner] > 0)
		return;
	sweep->cost -= e->weight[owner];
	sweep->fixed -= e->problem->buffers[owner].offset != NO_OFFSET;
}

static void move_to(struct eject *e, struct sweep *sweep, uint64_t base)
{
	const struct hits *h = &e->hits;

	while (sweep->entered < h->n &&
		h->low[h->enter[sweep->entered]] <= base)
		enter(e, sweep, h->owner[h->enter[sweep->entered++]]);
	while (sweep->left < h->n && h->high[h->leave[sweep->left]] <= base)
		leave(e, sweep, h->owner[h->leave[sweep->left++]]);
}

/* The base found so far. */
struct choice {
	uint64_t base, cost;
	uint32_t equal; /* bases of this cost; 0: none yet */
};

/* The lowest of the bases that are free, one by chance of those that are not.
 */
static void consider(struct eject *e, struct choice *choice,
	const struct sweep *sweep, uint64_t base)
{
	if (sweep->fixed > 0)
		return;
	if (choice->equal > 0 &&
		(sweep->cost > choice->cost || choice->cost == 0))
		return;
	if (sweep->cost < choice->cost)
		choice->equal = 0;
	choice->cost = sweep->cost;
	if (mp_prng(&e->random) % ++choice->equal == 0)
		choice->base = base;
}

/* The base where what is in the way of a buffer weighs least: that becomes less
 * only where bases of a hit end. False: there is none. */
static bool choose(struct eject *e, uint32_t buffer, uint64_t *base)
{
	const struct buffer *b = &e->problem->buffers[buffer];
	struct choice choice = {0, UINT64_MAX, 0};
	struct sweep sweep = {0, 0, 0, 0};
	const struct hits *h = &e->hits;
	uint64_t at = 0;

	for (uint32_t i = 0; i <= h->n; i++) {
		if (i > 0)
			at = num_up(h->high[h->leave[i - 1]], b->align);
		if (b->size > e->limit || at > e->limit - b->size)
			break;
		move_to(e, &sweep, at);
		consider(e, &choice, &sweep, at);
	}
	for (uint32_t i = 0; i < h->n; i++)
		e->depth[h->owner[i]] = 0;
	*base = choice.base;
	return choice.equal > 0;
}

/* ------------------------------------------------------------ moves */

static void throw_out(struct eject *e, uint32_t buffer)
{
	mp_planner_conflicts_remove(&e->conflicts, buffer);
	e->offsets[buffer] = NO_OFFSET;
	e->waiting[e->n_waiting++] = buffer;
}

static void throw_out_hit(struct eject *e, uint64_t base)
{
	const struct hits *h = &e->hits;

	for (uint32_t i = 0; i < h->n; i++) {
		if (h->low[i] <= base && base < h->high[i] &&
			e->offsets[h->owner[i]] != NO_OFFSET)
			throw_out(e, h->owner[i]);
	}
}

/* Places the next that waits. False: it has no place, or the row ends. */
static bool place_next(struct eject *e)
{
	uint32_t buffer = e->waiting[e->n_waiting - 1];
	uint64_t base;

	if (!find_hits(e, buffer) || !choose(e, buffer, &base))
		return false;
	e->n_waiting--;
	throw_out_hit(e, base);
	e->offsets[buffer] = base;
	mp_planner_conflicts_place(&e->conflicts, buffer, base);
	e->weight[buffer] = num_min(e->weight[buffer] + e->unit[buffer],
		UINT64_C(1) << WEIGHT_BITS);
	return mp_planner_job_step(e->job, 4 + e->hits.n / 2);
}

/* ---------------------------------------------------------- weights */

/* Bytes x steps, in units that cannot overflow. */
static uint64_t area(const struct problem *p, uint32_t buffer)
{
	const struct buffer *b = &p->buffers[buffer];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < b->n_parts; i++) {
		const struct part *part = &p->parts[b->first_part + i];
		uint64_t bytes = part->size / p->alignment;
		uint64_t steps = part->end - part->start;

		sum += bytes < NUM_MAX_BYTES / steps ? bytes * steps
						     : NUM_MAX_BYTES;
		sum = num_min(sum, NUM_MAX_BYTES);
	}
	return sum;
}

/* Rounds by area protect what is hard to place; rounds in which all weigh the
 * same find the other plans. */
static void weigh(struct eject *e, bool by_area)
{
	const struct problem *p = e->problem;
	uint64_t largest = 0;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		largest = num_max(largest, area(p, i));
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		e->unit[i] = 1;
		if (by_area)
			e->unit[i] += area(p, i) / ((largest >> UNIT_BITS) + 1);
		e->weight[i] = e->unit[i];
	}
}

/* ----------------------------------------------------------- rounds */

/* The best plan, less what sticks out of the arena to be reached. */
static void start_round(struct eject *e, uint64_t limit)
{
	const struct problem *p = e->problem;

	e->limit = limit;
	e->n_waiting = 0;
	mp_planner_conflicts_clear(&e->conflicts);
	memcpy(e->offsets, e->job->best, sizeof(*e->offsets) * p->n_buffers);
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		mp_planner_conflicts_place(&e->conflicts, i, e->offsets[i]);
		if (e->offsets[i] + p->buffers[i].size > limit &&
			p->buffers[i].offset == NO_OFFSET)
			throw_out(e, i);
	}
}

/* True if all have a place. */
static bool run_round(struct eject *e, uint64_t steps)
{
	uint64_t until = e->job->spent + steps;

	while (e->n_waiting > 0 && e->job->spent < until)
		if (!place_next(e))
			break;
	return e->n_waiting == 0;
}

/* What there is to be gained. */
static uint64_t gap(const struct job *job)
{
	uint64_t wanted = job->lower_bound;

	if (job->capacity != UINT64_MAX)
		wanted = num_max(wanted, job->capacity);
	return job->height - wanted;
}

/* The first round aims at the bound; each that fails at half as much, each
 * that does not at twice as much. */
static bool run_rounds(struct eject *e)
{
	struct job *job = e->job;
	uint64_t parts = 1, n = e->problem->n_buffers;
	bool by_area = true;

	while (!mp_planner_job_done(job) && !e->failed &&
		mp_planner_job_step(job, 1 + n / 8)) {
		weigh(e, by_area);
		start_round(e, job->height - num_max(gap(job) / parts, 1));
		if (!run_round(e, num_min(job->steps / SHARE, n * STEPS_EACH) +
					  LEAST)) {
			parts = parts < gap(job) ? parts * 2 : 1;
			by_area = !by_area;
			continue;
		}
		if (!mp_planner_job_offer(job, e->offsets))
			return false;
		parts = num_max(parts / 2, 1);
	}
	return !e->failed;
}

static bool init(struct eject *e)
{
	struct arena *arena = e->job->arena;
	size_t n = e->problem->n_buffers;

	e->offsets = NEW(arena, uint64_t, n);
	e->waiting = NEW(arena, uint32_t, n);
	e->unit = NEW(arena, uint64_t, n);
	e->weight = NEW(arena, uint64_t, n);
	e->depth = NEW(arena, uint32_t, n);
	return e->offsets && e->waiting && e->unit && e->weight && e->depth &&
	       make_room(e, FIRST_HITS) &&
	       mp_planner_conflicts_init(&e->conflicts, e->problem, arena);
}

enum outcome mp_planner_eject_run(struct job *job, int variant)
{
	struct eject e = {
		.job = job, .problem = job->problem, .random = job->seed};

	(void)variant;
	if (job->height == UINT64_MAX &&
		mp_planner_greedy_run(job, GREEDY_SIZE) == PLAN_FAILED)
		return PLAN_FAILED;
	if (!init(&e) || !run_rounds(&e))
		return PLAN_FAILED;
	return mp_planner_job_done(job) ? PLAN_OPTIMAL : PLAN_FOUND;
}
