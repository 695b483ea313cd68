/*
 * Hill climbing over placing orders, as TVM and Arm's Vela do it, for
 * comparison. A move swaps the turns of two buffers that may have to do with
 * the height; everything from the earlier of the two turns on is placed again
 * at the lowest gap.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "greedy.h"
#include "rows.h"

enum {
	TVM_ATTEMPTS = 500,
	TVM_SECOND = 75, /* per cent: swap with a conflict's conflict */
	VELA_ATTEMPTS = 99999,
	VELA_STUCK = 50, /* attempts without gain before the set widens */
	VELA_AWAY = 30,	 /* per cent: swap with one from elsewhere */
	SWAPS = 2,	 /* at most, of one move */
};

struct swap {
	uint32_t a, b; /* buffers */
};

struct climb {
	struct job *job;
	const struct problem *problem;
	struct conflicts conflicts;
	uint32_t *order;	  /* buffers by turn */
	uint32_t *turn;		  /* of a buffer */
	uint64_t *offsets, *kept; /* of the order at hand; of the last good one
				   */
	uint64_t height;	  /* of the last good order */
	uint64_t random;
	struct swap swaps[SWAPS]; /* of the move at hand */
	uint32_t n_swaps;
	uint32_t *set; /* Vela: buffers worth moving */
	bool *in_set;
	uint32_t n_set;
};

/* xorshift64*: the same numbers everywhere. */
static uint32_t below(struct climb *c, uint32_t limit)
{
	c->random ^= c->random >> 12;
	c->random ^= c->random << 25;
	c->random ^= c->random >> 27;
	return (uint32_t)((c->random * UINT64_C(0x2545f4914f6cdd1d)) >> 33) %
	       limit;
}

/* ----------------------------------------------------------------- placing */

static bool climb_init(
	struct climb *c, struct job *job, const enum rank_key *keys)
{
	uint32_t n = job->problem->n_buffers;

	*c = (struct climb){.job = job, .problem = job->problem};
	c->random = (job->seed << 1 | 1) * UINT64_C(0x9e3779b97f4a7c15);
	c->order = NEW(job->arena, uint32_t, n);
	c->turn = NEW(job->arena, uint32_t, n);
	c->offsets = NEW(job->arena, uint64_t, n);
	c->kept = NEW(job->arena, uint64_t, n);
	c->set = NEW(job->arena, uint32_t, n);
	c->in_set = NEW(job->arena, bool, n);
	if (!c->order || !c->turn || !c->offsets || !c->kept || !c->set ||
		!c->in_set ||
		!mp_rank_buffers(c->problem, keys, c->order, job->arena) ||
		!mp_greedy_fill(job, c->order, FIT_LOWEST, UINT64_MAX, c->kept,
			&c->height) ||
		!mp_conflicts_init(&c->conflicts, c->problem, job->arena))
		return false;
	for (uint32_t i = 0; i < n; i++)
		c->turn[c->order[i]] = i;
	memcpy(c->offsets, c->kept, sizeof(*c->kept) * n);
	return mp_job_offer(job, c->kept);
}

/* Puts the first turns at the offsets that they have. */
static void replay(struct climb *c, uint32_t turns)
{
	mp_conflicts_clear(&c->conflicts);
	mp_conflicts_place_fixed(&c->conflicts, c->offsets);
	for (uint32_t i = 0; i < turns; i++)
		if (c->problem->buffers[c->order[i]].offset == NO_OFFSET)
			mp_conflicts_place(&c->conflicts, c->order[i],
				c->offsets[c->order[i]]);
}

static uint64_t top_of(const struct climb *c, uint32_t buffer)
{
	return c->offsets[buffer] + c->problem->buffers[buffer].size;
}

/* The height of the order at hand; UINT64_MAX if it is above the limit or the
 * budget is spent. */
static uint64_t place_from(struct climb *c, uint32_t from, uint64_t limit)
{
	uint64_t height;

	replay(c, from);
	for (uint32_t i = from; i < c->problem->n_buffers; i++) {
		uint32_t buffer = c->order[i];

		if (c->problem->buffers[buffer].offset != NO_OFFSET)
			continue;
		if (!mp_conflicts_fit(&c->conflicts, buffer, FIT_LOWEST,
			    &c->offsets[buffer]) ||
			!mp_job_step(c->job, 4 + c->conflicts.n_met / 4) ||
			top_of(c, buffer) > limit)
			return UINT64_MAX;
		mp_conflicts_place(&c->conflicts, buffer, c->offsets[buffer]);
	}
	height = mp_plan_height(c->problem, c->offsets);
	return height > limit ? UINT64_MAX : height;
}

/* ------------------------------------------------------------------- moves */

static void swap_turns(struct climb *c, struct swap swap)
{
	uint32_t a = c->turn[swap.a], b = c->turn[swap.b];

	c->order[a] = swap.b;
	c->order[b] = swap.a;
	c->turn[swap.a] = b;
	c->turn[swap.b] = a;
}

static void add_swap(struct climb *c, uint32_t a, uint32_t b)
{
	struct swap swap = {a, b};

	c->swaps[c->n_swaps++] = swap;
	swap_turns(c, swap);
}

static void keep(struct climb *c, uint64_t height)
{
	c->height = height;
	memcpy(c->kept, c->offsets, sizeof(*c->kept) * c->problem->n_buffers);
	c->n_swaps = 0;
}

static void take_back(struct climb *c)
{
	while (c->n_swaps > 0)
		swap_turns(c, c->swaps[--c->n_swaps]);
	memcpy(c->offsets, c->kept, sizeof(*c->kept) * c->problem->n_buffers);
}

/* The height of the order that the move makes. */
static uint64_t try_move(struct climb *c, uint64_t limit)
{
	uint32_t from = c->problem->n_buffers;

	for (uint32_t i = 0; i < c->n_swaps; i++) {
		if (c->turn[c->swaps[i].a] < from)
			from = c->turn[c->swaps[i].a];
		if (c->turn[c->swaps[i].b] < from)
			from = c->turn[c->swaps[i].b];
	}
	return place_from(c, from, limit);
}

/* --------------------------------------------------------------------- TVM */

/* One of a stream of buffers, each with the same chance. */
struct pick {
	struct climb *climb;
	uint32_t before; /* only turns before this one count */
	uint32_t n, picked;
};

static void pick_one(void *context, uint32_t met)
{
	struct pick *pick = context;

	if (pick->climb->turn[met] >= pick->before)
		return;
	if (below(pick->climb, ++pick->n) == 0)
		pick->picked = met;
}

/* Conflicts of a conflict that are placed before it. */
static void pick_second(void *context, uint32_t met)
{
	struct pick *pick = context;

	pick->before = pick->climb->turn[met];
	mp_conflicts_visit(&pick->climb->conflicts, met, pick_one, context);
}

static uint32_t pick_highest(struct climb *c)
{
	uint32_t n = 0, picked = NONE;

	for (uint32_t i = 0; i < c->problem->n_buffers; i++)
		if (top_of(c, i) == c->height && below(c, ++n) == 0)
			picked = i;
	return picked;
}

static void make_tvm_move(struct climb *c)
{
	uint32_t highest = pick_highest(c);
	struct pick first = {c, c->turn[highest], 0, NONE}, other = first;

	replay(c, c->problem->n_buffers);
	mp_conflicts_visit(&c->conflicts, highest, pick_one, &first);
	if (below(c, 100) < TVM_SECOND)
		mp_conflicts_visit(&c->conflicts, highest, pick_second, &other);
	else
		mp_conflicts_visit(&c->conflicts, highest, pick_one, &other);
	if (first.picked != NONE && other.picked != NONE)
		add_swap(c, first.picked, other.picked);
}

/* Worse orders are taken at times, the later the more rarely. */
static bool accepts(struct climb *c, uint64_t height, uint32_t attempt)
{
	uint64_t chance;

	if (height == UINT64_MAX)
		return false;
	if (height < c->height)
		return true;
	chance = (height - c->height) / (c->height / 50 + 1) / attempt;
	return below(c, 100) < chance;
}

static bool climb_as_tvm(struct climb *c)
{
	for (uint32_t i = 1; i < TVM_ATTEMPTS && !mp_job_done(c->job); i++) {
		uint64_t height;

		make_tvm_move(c);
		height = try_move(c, UINT64_MAX - 1);
		if (!accepts(c, height, i)) {
			take_back(c);
			if (!mp_job_step(c->job, 1))
				return true;
			continue;
		}
		keep(c, height);
		if (!mp_job_offer(c->job, c->kept))
			return false;
	}
	return true;
}

/* -------------------------------------------------------------------- Vela */

static void add_to_set(struct climb *c, uint32_t buffer)
{
	if (!c->in_set[buffer])
		c->set[c->n_set++] = buffer;
	c->in_set[buffer] = true;
}

/* The placed conflict on which a buffer rests. */
struct rest {
	const struct climb *climb;
	uint32_t buffer, below;
};

static void look_below(void *context, uint32_t met)
{
	struct rest *rest = context;
	const struct climb *c = rest->climb;

	if (c->turn[met] < c->turn[rest->buffer] &&
		top_of(c, met) == c->offsets[rest->buffer])
		rest->below = met;
}

/* The buffer, what it rests on, what that rests on, and so on. */
static void add_chain(struct climb *c, uint32_t buffer)
{
	while (buffer != NONE && !c->in_set[buffer]) {
		struct rest rest = {c, buffer, NONE};

		add_to_set(c, buffer);
		mp_conflicts_visit(&c->conflicts, buffer, look_below, &rest);
		buffer = rest.below;
	}
}

static void add_neighbour(void *context, uint32_t met)
{
	add_chain(context, met);
}

/* The highest buffer, its conflicts, and all their chains. */
static void find_set(struct climb *c)
{
	uint32_t highest = 0;

	for (uint32_t i = 1; i < c->problem->n_buffers; i++)
		if (top_of(c, i) > top_of(c, highest))
			highest = i;
	for (uint32_t i = 0; i < c->n_set; i++)
		c->in_set[c->set[i]] = false;
	c->n_set = 0;
	replay(c, c->problem->n_buffers);
	add_chain(c, highest);
	mp_conflicts_visit(&c->conflicts, highest, add_neighbour, c);
}

/* The conflicts of all in the set as well. */
static void widen_set(struct climb *c)
{
	uint32_t n = c->n_set;

	replay(c, c->problem->n_buffers);
	for (uint32_t i = 0; i < n; i++)
		mp_conflicts_visit(&c->conflicts, c->set[i], add_neighbour, c);
}

static uint32_t pick_elsewhere(struct climb *c)
{
	uint32_t buffer = 0;

	for (int tries = 0; tries < 8; tries++) {
		buffer = below(c, c->problem->n_buffers);
		if (!c->in_set[buffer])
			break;
	}
	return buffer;
}

static void make_vela_move(struct climb *c, uint32_t stuck)
{
	uint32_t a = c->set[below(c, c->n_set)];
	uint32_t b = c->set[below(c, c->n_set)];

	if (below(c, 100) < VELA_AWAY)
		b = pick_elsewhere(c);
	add_swap(c, a, b);
	if (stuck == VELA_STUCK)
		widen_set(c);
	if (stuck >= VELA_STUCK)
		add_swap(c, c->set[below(c, c->n_set)],
			c->set[below(c, c->n_set)]);
}

static bool climb_as_vela(struct climb *c)
{
	uint32_t stuck = 0;

	if (mp_job_done(c->job))
		return true;
	find_set(c);
	for (uint32_t i = 0; i < VELA_ATTEMPTS && !mp_job_done(c->job); i++) {
		uint64_t height;

		make_vela_move(c, stuck++);
		height = try_move(c, c->height);
		if (height == UINT64_MAX) {
			take_back(c);
			if (!mp_job_step(c->job, 1))
				return true;
			continue;
		}
		if (height < c->height)
			stuck = 0;
		keep(c, height);
		find_set(c);
		if (!mp_job_offer(c->job, c->kept))
			return false;
	}
	return true;
}

/* -------------------------------------------------------------------- rows */

enum outcome mp_climb_tvm(struct job *job, int variant)
{
	static const enum rank_key keys[RANK_KEYS] = {
		RANK_SIZE, RANK_CONFLICTS};
	struct climb climb;

	(void)variant;
	if (!climb_init(&climb, job, keys) || !climb_as_tvm(&climb))
		return PLAN_FAILED;
	return mp_job_done(job) ? PLAN_OPTIMAL : PLAN_FOUND;
}

enum outcome mp_climb_vela(struct job *job, int variant)
{
	static const enum rank_key keys[RANK_KEYS] = {
		RANK_PRESSURE, RANK_LIFETIME, RANK_START, RANK_SIZE};
	struct climb climb;

	(void)variant;
	if (!climb_init(&climb, job, keys) || !climb_as_vela(&climb))
		return PLAN_FAILED;
	return mp_job_done(job) ? PLAN_OPTIMAL : PLAN_FOUND;
}
