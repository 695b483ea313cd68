/*
 * eject: local search with an ejection pool (Nagata and Braysy, Operations
 * Research Letters 37(5), 2009, for routes). The arena is made lower than the
 * best plan. Buffers that stick out of it are removed and wait in the pool. The
 * last one goes to the base where the buffers in its way weigh least; these are
 * removed and wait in turn, until the pool is empty. A buffer becomes heavier
 * whenever it is placed again, so that two buffers that push each other out do
 * not do so for ever (the weights of guided local search).
 *
 * All that it asks is at which bases a buffer overlaps which others. So
 * streams, stacks, alignments, fixed offsets and pairs apart are one case.
 *
 * Most rounds fail, so they are run ahead.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/eject.h"

#include <assert.h>
#include <string.h>

#include "base/prng.h"
#include "planners/ahead.h"
#include "planners/any/greedy.h"
#include "planners/any/hits.h"
#include "planners/rows.h"

enum {
	/* Steps of a round: such a part of the budget that is left, at most so
	 * many a buffer, and some more. Set on graphs with groups:
	 * docs/planners-tried.md. */
	ROUND_SHARE = 8,
	ROUND_PER_BUFFER = 1000,
	ROUND_LEAST = 4000,

	LITTLE = 64, /* the first round of EJECT_LITTLE aims lower by such a
			part of the gap between the bound and the plan */

	UNIT_BITS = 20,	 /* of a buffer's first weight, at most */
	WEIGHT_BITS = 30 /* a sum of 2^32 weights fits 64 bits */
};

/* A round. */
struct eject {
	struct job *job; /* its own */
	const struct problem *problem;
	const uint64_t *start;	    /* the best plan */
	struct conflicts conflicts; /* of all buffers that do not wait */
	uint64_t *offsets;	    /* NO_OFFSET: waits */
	uint32_t *waiting;	    /* a stack of buffers */
	uint32_t n_waiting;
	uint64_t *unit;	  /* what a buffer's weight grows by, by area */
	uint64_t *weight; /* what removing it costs; fixed: HITS_NEVER */
	struct hits hits; /* of the buffer at hand */
	uint64_t limit;	  /* the arena to be reached */
	uint64_t steps;	  /* of the round, but for the last move */
	bool by_area;
	uint64_t random;
	bool complete; /* all buffers are placed */
};

/* ----------------------------------------------------------- choice */

/* The base found so far. */
struct choice {
	uint64_t base, cost;
	uint32_t equal; /* bases of this cost; 0: none yet */
};

/* Keeps the cheapest base, of equal ones one by chance. */
static void consider_base(struct eject *e, struct choice *choice, uint64_t base)
{
	if (e->hits.n_never > 0 ||
		(choice->equal > 0 && e->hits.cost > choice->cost))
		return;
	if (e->hits.cost < choice->cost)
		choice->equal = 0;
	choice->cost = e->hits.cost;
	if (mp_prng(&e->random) % ++choice->equal == 0)
		choice->base = base;
}

/* Looks at where the hits of a bucket end, upwards. */
static void consider_bucket(
	struct eject *e, struct choice *choice, uint32_t bucket)
{
	struct hits *h = &e->hits;

	mp_planner_hits_sort(h, bucket);
	for (uint32_t i = h->first_leave[bucket];
		i < h->first_leave[bucket + 1] && choice->cost > 0; i++) {
		mp_planner_hits_sweep(h, h->leave[i].low);
		consider_base(e, choice, h->leave[i].low);
	}
}

/* The base where the buffers in the way weigh least: the lowest if there are
 * none. Only where the bases of a hit end can that become less, so no other
 * bases are looked at, and no bucket where it cannot become little enough.
 * False: there is none within the limit, or memory is out. */
static bool choose_base(struct eject *e, uint32_t buffer, uint64_t *base)
{
	uint64_t size = e->problem->buffers[buffer].size;
	struct choice choice = {0, UINT64_MAX, 0};
	struct hits *h = &e->hits;

	if (size > e->limit ||
		!mp_planner_hits_find(h, buffer, e->limit - size))
		return false;
	consider_base(e, &choice, 0);
	for (uint32_t k = 0; k < h->n_buckets && choice.cost > 0; k++) {
		if (mp_planner_hits_least(h, k) <= choice.cost)
			consider_bucket(e, &choice, k);
		mp_planner_hits_pass(h, k);
	}
	*base = choice.base;
	return choice.equal > 0;
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

static void set_units(struct eject *e)
{
	const struct problem *p = e->problem;
	uint64_t largest = 0;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		e->unit[i] = area(p, i);
		largest = num_max(largest, e->unit[i]);
	}
	for (uint32_t i = 0; i < p->n_buffers; i++)
		e->unit[i] = 1 + e->unit[i] / ((largest >> UNIT_BITS) + 1);
}

/* Weights by area protect buffers that are hard to place; with equal weights a
 * round finds other plans. */
static uint64_t unit_of(const struct eject *e, uint32_t buffer)
{
	return e->by_area ? e->unit[buffer] : 1;
}

static void set_weights(struct eject *e)
{
	const struct problem *p = e->problem;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		e->weight[i] = p->buffers[i].offset == NO_OFFSET ? unit_of(e, i)
								 : HITS_NEVER;
}

/* ------------------------------------------------------------ moves */

static void eject_buffer(struct eject *e, uint32_t buffer)
{
	assert(e->offsets[buffer] != NO_OFFSET);
	assert(e->problem->buffers[buffer].offset == NO_OFFSET);
	mp_planner_conflicts_remove(&e->conflicts, buffer);
	e->offsets[buffer] = NO_OFFSET;
	e->waiting[e->n_waiting++] = buffer;
}

static void eject_hit(struct eject *e, uint64_t base)
{
	const struct hits *h = &e->hits;

	for (uint32_t i = 0; i < h->n; i++) {
		if (mp_planner_hits_at(h, i, base) &&
			e->offsets[h->owner[i]] != NO_OFFSET)
			eject_buffer(e, h->owner[i]);
	}
}

/* Places the next buffer that waits. False: it has no base, or the budget is
 * spent. */
static bool place_next(struct eject *e)
{
	uint32_t buffer = e->waiting[e->n_waiting - 1];
	uint64_t base;

	if (!choose_base(e, buffer, &base))
		return false;
	e->n_waiting--;
	eject_hit(e, base);
	e->offsets[buffer] = base;
	mp_planner_conflicts_place(&e->conflicts, buffer, base);
	e->weight[buffer] = num_min(e->weight[buffer] + unit_of(e, buffer),
		UINT64_C(1) << WEIGHT_BITS);
	return mp_planner_job_step(e->job, 4 + e->hits.n / 3);
}

/* ------------------------------------------------------------ round */

/* Begins with the best plan, and ejects what sticks out of the limit. */
static void start_round(struct eject *e)
{
	const struct problem *p = e->problem;

	e->n_waiting = 0;
	mp_planner_conflicts_clear(&e->conflicts);
	memcpy(e->offsets, e->start, sizeof(*e->offsets) * p->n_buffers);
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		mp_planner_conflicts_place(&e->conflicts, i, e->offsets[i]);
		if (e->offsets[i] + p->buffers[i].size > e->limit &&
			p->buffers[i].offset == NO_OFFSET)
			eject_buffer(e, i);
	}
}

/* What a round spends before its first move. */
static uint64_t cost_of_start(const struct problem *p)
{
	return 1 + p->n_buffers / 8;
}

static void run_round(struct eject *e)
{
	if (!mp_planner_job_step(e->job, cost_of_start(e->problem)))
		return;
	set_weights(e);
	start_round(e);
	while (e->n_waiting > 0 && e->job->spent < e->steps)
		if (!place_next(e))
			break;
	e->complete = e->n_waiting == 0;
}

/* Has the round failed for its steps alone, as the next one took for granted?
 */
static bool ran_out(const struct eject *e)
{
	return !e->complete && !e->job->cut_short && e->job->spent >= e->steps;
}

static bool eject_init(
	struct eject *e, const struct problem *problem, struct arena *arena)
{
	size_t n = problem->n_buffers;

	*e = (struct eject){.problem = problem,
		.offsets = NEW(arena, uint64_t, n),
		.waiting = NEW(arena, uint32_t, n),
		.unit = NEW(arena, uint64_t, n),
		.weight = NEW(arena, uint64_t, n)};
	if (!e->offsets || !e->waiting || !e->unit || !e->weight)
		return false;
	set_units(e);
	return mp_planner_conflicts_init(&e->conflicts, problem, arena) &&
	       mp_planner_hits_init(&e->hits, &e->conflicts, e->weight, arena);
}

/* ----------------------------------------------------------- rounds */

/* What a round is to do. */
struct aim {
	uint64_t parts; /* of the gap; the arena is to be lower by one */
	uint64_t first; /* parts of the first round, and after the most */
	uint64_t left;	/* steps of which it has a share */
	uint64_t index;
	bool by_area;
};

/* What a round begins with. */
struct start {
	uint64_t height; /* of the best plan, */
	uint64_t *best;	 /* which is this one */
	struct aim aim;
	bool complete; /* the round before has found that plan */
	uint64_t *own; /* room for it; or NULL */
};

struct rounds {
	struct job *job;
	struct aim next;
	struct ahead *ahead;
	struct start behind[AHEAD_MOST]; /* each pass that has not run out */
	struct eject at[AHEAD_SLOTS];
};

/* Bytes between the best plan and the one that is wanted. */
static uint64_t gap(const struct job *job, uint64_t height)
{
	assert(height != UINT64_MAX);
	uint64_t wanted = job->lower_bound;

	if (job->capacity != UINT64_MAX)
		wanted = num_max(wanted, job->capacity);
	return height - num_min(height, wanted);
}

static uint64_t steps_of(const struct aim *aim, const struct problem *p)
{
	return cost_of_start(p) + ROUND_LEAST +
	       num_min(aim->left / ROUND_SHARE,
		       (uint64_t)p->n_buffers * ROUND_PER_BUFFER);
}

/* The first round aims at the bound. A round that fails halves the next aim,
 * one that succeeds doubles it. What it spends beyond its steps does not count,
 * as those behind it may begin before it has ended. */
static void aim_lower(struct aim *aim, const struct problem *p, uint64_t gap)
{
	aim->left -= num_min(aim->left, steps_of(aim, p));
	aim->parts = aim->parts < gap ? aim->parts * 2 : aim->first;
	aim->by_area = !aim->by_area;
	aim->index++;
}

/* Behind a round that has spent so much and has not run out. */
static struct aim aim_behind(const struct aim *done, const struct eject *e,
	uint64_t gap, uint64_t spent)
{
	struct aim next = *done;

	aim_lower(&next, e->problem, gap);
	next.left = done->left - num_min(done->left, spent);
	if (e->complete) {
		next.parts = num_max(done->parts / 2, 1);
		next.by_area = done->by_area;
	}
	return next;
}

static bool make_round(void *context, uint32_t slot, struct arena *arena)
{
	struct rounds *r = context;

	return eject_init(&r->at[slot], r->job->problem, arena);
}

static struct start *behind(struct rounds *r, const struct pass *pass)
{
	return &r->behind[pass - r->ahead->passes];
}

static struct start start_of(struct rounds *r, const struct pass *pass)
{
	struct job *job = r->job;
	struct start start = {job->height, job->best, r->next, false, NULL};

	if (pass->behind)
		start = *behind(r, pass->behind);
	for (uint32_t k = 0; k < pass->index; k++)
		aim_lower(&start.aim, job->problem, gap(job, start.height));
	return start;
}

/* Fills in what the pass behind this one starts with, if this one ended
 * otherwise than expected. */
static void note_end(struct rounds *r, const struct pass *pass,
	const struct start *start, struct eject *e)
{
	struct start *next = behind(r, pass);

	next->height = start->height;
	next->best = start->best;
	next->complete = e->complete;
	next->aim = aim_behind(
		&start->aim, e, gap(r->job, start->height), e->job->spent);
	if (!e->complete)
		return;
	next->height = mp_plan_height(e->problem, e->offsets);
	next->best = e->offsets;
}

static enum pass_end run_next(void *context, struct pass *pass, struct job *job)
{
	struct rounds *r = context;
	struct eject *e = &r->at[pass->slot];
	struct start start = start_of(r, pass);
	uint64_t left = gap(job, start.height);

	e->job = job;
	e->start = start.best;
	e->limit = start.height - num_max(left / start.aim.parts, 1);
	e->steps = steps_of(&start.aim, job->problem);
	e->by_area = start.aim.by_area;
	e->random = job->seed ^ start.aim.index << 32;
	e->complete = false;
	run_round(e);
	if (e->hits.failed)
		return PASS_FAILED;
	if (ran_out(e))
		return PASS_AS_EXPECTED;
	note_end(r, pass, &start, e);
	return PASS_OTHERWISE;
}

/* The slot takes another round, so the plan is copied. */
static bool follow(void *context, const struct pass *pass, struct job *job)
{
	struct start *next = behind(context, pass);
	uint32_t n = job->problem->n_buffers;

	if (gap(job, next->height) == 0)
		return false;
	if (!next->complete)
		return true;
	if (!next->own)
		next->own = NEW(job->arena, uint64_t, n);
	if (!next->own)
		return false;
	memcpy(next->own, next->best, sizeof(*next->own) * n);
	next->best = next->own;
	return true;
}

static bool take_next(void *context, const struct pass *pass)
{
	struct rounds *r = context;
	struct start *next = behind(r, pass);

	if (pass->end == PASS_AS_EXPECTED) {
		aim_lower(
			&r->next, r->job->problem, gap(r->job, r->job->height));
		return true;
	}
	r->next = next->aim;
	return !next->complete || mp_planner_job_offer(r->job, next->best);
}

/* As many rounds as there are steps for, if all run out. */
static uint32_t rounds_left(const struct rounds *r)
{
	const struct problem *p = r->job->problem;
	struct aim aim = r->next;
	uint32_t n = 0;

	do
		aim_lower(&aim, p, gap(r->job, r->job->height));
	while (++n < AHEAD_MOST && aim.left > steps_of(&aim, p));
	return n;
}

enum outcome mp_planner_eject_run(struct job *job, int variant)
{
	static const struct ahead_row row = {.make = make_round,
		.run = run_next,
		.follow = follow,
		.take = take_next};
	struct rounds r = {.job = job,
		.next = {.first = variant == EJECT_LITTLE ? LITTLE : 1,
			.left = job->steps,
			.by_area = true}};
	bool fine = true;

	assert(mp_planner_job_is_sound(job));
	r.next.parts = r.next.first;
	if (job->height == UINT64_MAX &&
		mp_planner_greedy_run(job, GREEDY_SIZE) == PLAN_FAILED)
		return PLAN_FAILED;
	r.ahead = mp_planner_ahead_open(job, &row, &r);
	if (!r.ahead)
		return PLAN_FAILED;
	while (fine && !mp_planner_job_done(job) && job->steps > 0 &&
		!job->cut_short)
		fine = mp_planner_ahead_run(r.ahead, rounds_left(&r));
	mp_planner_ahead_close(r.ahead);
	return fine ? mp_planner_job_outcome(job) : PLAN_FAILED;
}
