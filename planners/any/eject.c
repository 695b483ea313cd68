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
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/prng.h"
#include "planners/any/greedy.h"
#include "planners/any/hits.h"
#include "planners/rows.h"

enum {
	/* Steps of a round: an eighth of the budget that is left, at most 1,000
	 * a buffer, plus 4,000. Set on 34 graphs with a third of the
	 * activations in groups of four, where auto ends 2.9 % above the bound
	 * with this row, 3.65 % without. */
	ROUND_SHARE = 8,
	ROUND_PER_BUFFER = 1000,
	ROUND_LEAST = 4000,

	UNIT_BITS = 20,	 /* of a buffer's first weight, at most */
	WEIGHT_BITS = 30 /* a sum of 2^32 weights fits 64 bits */
};

struct eject {
	struct job *job;
	const struct problem *problem;
	struct conflicts conflicts; /* of all buffers that do not wait */
	uint64_t *offsets;	    /* NO_OFFSET: waits */
	uint32_t *waiting;	    /* a stack of buffers */
	uint32_t n_waiting;
	uint64_t *unit;	  /* what a buffer's weight grows by */
	uint64_t *weight; /* what removing it costs; fixed: HITS_NEVER */
	struct hits hits; /* of the buffer at hand */
	uint64_t limit;	  /* the arena to be reached */
	uint64_t random;
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

/* The base where the buffers in the way weigh least: the lowest if there are
 * none. Only where the bases of a hit end can that become less, so no other
 * bases are looked at. False: there is none within the limit. */
static bool choose_base(struct eject *e, uint32_t buffer, uint64_t *base)
{
	const struct buffer *b = &e->problem->buffers[buffer];
	struct choice choice = {0, UINT64_MAX, 0};
	struct hits *h = &e->hits;
	uint64_t at = 0;

	for (uint32_t i = 0; i <= h->n && choice.cost > 0; i++) {
		if (i > 0)
			at = num_up(h->high[h->leave[i - 1]], b->align);
		if (b->size > e->limit || at > e->limit - b->size)
			break;
		mp_planner_hits_sweep(h, at);
		consider_base(e, &choice, at);
	}
	*base = choice.base;
	return choice.equal > 0;
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

	if (!mp_planner_hits_find(&e->hits, buffer) ||
		!choose_base(e, buffer, &base))
		return false;
	e->n_waiting--;
	eject_hit(e, base);
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

/* Weights by area protect buffers that are hard to place; with equal weights a
 * round finds other plans. */
static void set_weights(struct eject *e, bool by_area)
{
	const struct problem *p = e->problem;
	uint64_t largest = 0;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		largest = num_max(largest, area(p, i));
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		e->unit[i] = 1;
		if (by_area)
			e->unit[i] += area(p, i) / ((largest >> UNIT_BITS) + 1);
		e->weight[i] = p->buffers[i].offset == NO_OFFSET ? e->unit[i]
								 : HITS_NEVER;
	}
}

/* ----------------------------------------------------------- rounds */

/* Begins with the best plan, and ejects what sticks out of the limit. */
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
			eject_buffer(e, i);
	}
}

/* True if all buffers are placed. */
static bool run_round(struct eject *e, uint64_t steps)
{
	uint64_t until = e->job->spent + steps;

	while (e->n_waiting > 0 && e->job->spent < until)
		if (!place_next(e))
			break;
	return e->n_waiting == 0;
}

/* Bytes between the best plan and the one that is wanted. */
static uint64_t gap(const struct job *job)
{
	assert(job->height != UINT64_MAX);
	uint64_t wanted = job->lower_bound;

	if (job->capacity != UINT64_MAX)
		wanted = num_max(wanted, job->capacity);
	return job->height - wanted;
}

/* The first round aims at the bound. A round that fails halves the next aim,
 * one that succeeds doubles it. */
static bool run_rounds(struct eject *e)
{
	struct job *job = e->job;
	uint64_t parts = 1, n = e->problem->n_buffers;
	bool by_area = true;

	while (!mp_planner_job_done(job) && !e->hits.failed &&
		mp_planner_job_step(job, 1 + n / 8)) {
		set_weights(e, by_area);
		start_round(e, job->height - num_max(gap(job) / parts, 1));
		if (!run_round(e, num_min(job->steps / ROUND_SHARE,
					  n * ROUND_PER_BUFFER) +
					  ROUND_LEAST)) {
			parts = parts < gap(job) ? parts * 2 : 1;
			by_area = !by_area;
			continue;
		}
		if (!mp_planner_job_offer(job, e->offsets))
			return false;
		parts = num_max(parts / 2, 1);
	}
	return !e->hits.failed;
}

static bool eject_init(struct eject *e)
{
	struct arena *arena = e->job->arena;
	size_t n = e->problem->n_buffers;

	e->offsets = NEW(arena, uint64_t, n);
	e->waiting = NEW(arena, uint32_t, n);
	e->unit = NEW(arena, uint64_t, n);
	e->weight = NEW(arena, uint64_t, n);
	return e->offsets && e->waiting && e->unit && e->weight &&
	       mp_planner_conflicts_init(&e->conflicts, e->problem, arena) &&
	       mp_planner_hits_init(&e->hits, &e->conflicts, e->weight, arena);
}

enum outcome mp_planner_eject_run(struct job *job, int variant)
{
	struct eject e = {
		.job = job, .problem = job->problem, .random = job->seed};

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (job->height == UINT64_MAX &&
		mp_planner_greedy_run(job, GREEDY_SIZE) == PLAN_FAILED)
		return PLAN_FAILED;
	if (!eject_init(&e) || !run_rounds(&e))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}
