/*
 * climb: hill climbing over the placing order, as Arm's planner Vela does it
 * (hillclimb_allocation.py). Turns are swapped within a critical set: a highest
 * buffer, its conflicts, and all that these rest on, because no other swap can
 * lower the arena. An order stays if it is no worse. After STUCK attempts
 * without a gain the set widens to the conflicts of all in it, and a move swaps
 * two pairs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/climb.h"
#include "planners/rows.h"

enum {
	/* All as in hillclimb_allocation.py. */
	ATTEMPTS = 99999,
	STUCK = 50, /* attempts without a gain before the set widens */
	AWAY = 30,  /* per cent: swaps with a buffer outside of the set */
	TRIES = 8   /* to find one */
};

/* The buffers of which one must move, or the arena stays as high. */
struct critical {
	struct climb climb;
	uint32_t *set;
	bool *in_set;
	uint32_t n_set;
	uint32_t stuck; /* attempts without a gain */
	bool moved;	/* the last attempt stayed: the set is of the order
			   before */
};

/* A question: on which of its conflicts does a buffer rest? */
struct rest {
	const struct climb *climb;
	uint32_t buffer, below;
};

static void look_below(void *context, uint32_t met, struct range bases)
{
	struct rest *rest = context;
	const struct climb *c = rest->climb;

	(void)bases;
	if (c->turn[met] < c->turn[rest->buffer] &&
		mp_planner_climb_top(c, met) == c->offsets[rest->buffer])
		rest->below = met;
}

/* Adds the buffer, the one that it rests on, and so on down. */
static void add_chain(struct critical *s, uint32_t buffer)
{
	const struct climb *c = &s->climb;

	while (buffer != NONE && !s->in_set[buffer]) {
		struct rest rest = {c, buffer, NONE};

		s->set[s->n_set++] = buffer;
		s->in_set[buffer] = true;
		mp_planner_conflicts_visit(
			&c->conflicts, buffer, look_below, &rest);
		buffer = rest.below;
	}
}

static void add_neighbour(void *context, uint32_t met, struct range bases)
{
	(void)bases;
	add_chain(context, met);
}

/* Makes the set anew: a highest buffer, its conflicts, and all their chains. */
static void find_set(struct critical *s)
{
	struct climb *c = &s->climb;
	uint32_t highest = 0;

	for (uint32_t i = 1; i < c->problem->n_buffers; i++)
		if (mp_planner_climb_top(c, i) >
			mp_planner_climb_top(c, highest))
			highest = i;
	for (uint32_t i = 0; i < s->n_set; i++)
		s->in_set[s->set[i]] = false;
	s->n_set = 0;
	mp_planner_climb_replay(c, c->problem->n_buffers);
	add_chain(s, highest);
	mp_planner_conflicts_visit(&c->conflicts, highest, add_neighbour, s);
}

/* Adds the conflicts of all in the set, and their chains. */
static void widen_set(struct critical *s)
{
	struct climb *c = &s->climb;
	uint32_t n = s->n_set;

	mp_planner_climb_replay(c, c->problem->n_buffers);
	for (uint32_t i = 0; i < n; i++)
		mp_planner_conflicts_visit(
			&c->conflicts, s->set[i], add_neighbour, s);
}

static uint32_t pick_critical(struct critical *s)
{
	return s->set[mp_planner_climb_random(&s->climb, s->n_set)];
}

static uint32_t pick_elsewhere(struct critical *s)
{
	uint32_t buffer = 0;

	for (int tries = 0; tries < TRIES; tries++) {
		buffer = mp_planner_climb_random(
			&s->climb, s->climb.problem->n_buffers);
		if (!s->in_set[buffer])
			break;
	}
	return buffer;
}

static void make_move(struct critical *s)
{
	uint32_t stuck = s->stuck++;
	uint32_t a = pick_critical(s), b = pick_critical(s);

	if (mp_planner_climb_random(&s->climb, 100) < AWAY)
		b = pick_elsewhere(s);
	mp_planner_climb_swap(&s->climb, a, b);
	if (stuck == STUCK)
		widen_set(s);
	if (stuck < STUCK)
		return;
	a = pick_critical(s);
	b = pick_critical(s);
	mp_planner_climb_swap(&s->climb, a, b);
}

/* An order stays if it is no worse; then the set is made anew. */
static uint64_t attempt(void *context, uint32_t i)
{
	struct critical *s = context;
	struct climb *c = &s->climb;
	uint64_t height;

	if (i == 0 || s->moved)
		find_set(s);
	make_move(s);
	height = mp_planner_climb_try(c, c->height);
	s->moved = height != UINT64_MAX;
	if (height < c->height)
		s->stuck = 0;
	return height;
}

/* What lies on what settle finds by better rows: then swaps save what is lost
 * to alignments. */
static bool goes_on(const struct job *job)
{
	return job->height != UINT64_MAX && mp_problem_is_aligned(job->problem);
}

enum outcome mp_planner_climb_run(struct job *job, int variant)
{
	static const enum rank_key keys[RANK_KEYS] = {
		RANK_PRESSURE, RANK_LIFETIME, RANK_START, RANK_SIZE};
	struct critical critical = {.n_set = 0};

	(void)variant;
	critical.set = NEW(job->arena, uint32_t, job->problem->n_buffers);
	critical.in_set = NEW(job->arena, bool, job->problem->n_buffers);
	if (!critical.set || !critical.in_set ||
		!mp_planner_climb_init(
			&critical.climb, job, goes_on(job) ? NULL : keys))
		return PLAN_FAILED;
	return mp_planner_climb_on(
		&critical.climb, ATTEMPTS, attempt, &critical);
}
