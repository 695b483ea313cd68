/*
 * Vela's climb: swaps turns within the set of buffers that the height may rest
 * on; an order stays if it is no worse.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/peers/climb.h"

#include "planners/rows.h"

enum {
	ATTEMPTS = 99999,
	STUCK = 50, /* attempts without gain before the set widens */
	AWAY = 30   /* per cent: swap with one from elsewhere */
};

/* The buffers worth moving. */
struct vela {
	struct climb climb;
	uint32_t *set;
	bool *in_set;
	uint32_t n_set;
};

static void add_to_set(struct vela *v, uint32_t buffer)
{
	if (!v->in_set[buffer])
		v->set[v->n_set++] = buffer;
	v->in_set[buffer] = true;
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
		mp_planner_climb_top(c, met) == c->offsets[rest->buffer])
		rest->below = met;
}

/* The buffer, what it rests on, what that rests on, and so on. */
static void add_chain(struct vela *v, uint32_t buffer)
{
	const struct climb *c = &v->climb;

	while (buffer != NONE && !v->in_set[buffer]) {
		struct rest rest = {c, buffer, NONE};

		add_to_set(v, buffer);
		mp_planner_conflicts_visit(
			&c->conflicts, buffer, look_below, &rest);
		buffer = rest.below;
	}
}

static void add_neighbour(void *context, uint32_t met)
{
	add_chain(context, met);
}

/* The highest buffer, its conflicts, and all their chains. */
static void find_set(struct vela *v)
{
	struct climb *c = &v->climb;
	uint32_t highest = 0;

	for (uint32_t i = 1; i < c->problem->n_buffers; i++)
		if (mp_planner_climb_top(c, i) >
			mp_planner_climb_top(c, highest))
			highest = i;
	for (uint32_t i = 0; i < v->n_set; i++)
		v->in_set[v->set[i]] = false;
	v->n_set = 0;
	mp_planner_climb_replay(c, c->problem->n_buffers);
	add_chain(v, highest);
	mp_planner_conflicts_visit(&c->conflicts, highest, add_neighbour, v);
}

/* The conflicts of all in the set as well. */
static void widen_set(struct vela *v)
{
	struct climb *c = &v->climb;
	uint32_t n = v->n_set;

	mp_planner_climb_replay(c, c->problem->n_buffers);
	for (uint32_t i = 0; i < n; i++)
		mp_planner_conflicts_visit(
			&c->conflicts, v->set[i], add_neighbour, v);
}

static uint32_t pick(struct vela *v)
{
	return v->set[mp_planner_climb_random(&v->climb, v->n_set)];
}

static uint32_t pick_elsewhere(struct vela *v)
{
	uint32_t buffer = 0;

	for (int tries = 0; tries < 8; tries++) {
		buffer = mp_planner_climb_random(
			&v->climb, v->climb.problem->n_buffers);
		if (!v->in_set[buffer])
			break;
	}
	return buffer;
}

static void make_move(struct vela *v, uint32_t stuck)
{
	uint32_t a = pick(v), b = pick(v);

	if (mp_planner_climb_random(&v->climb, 100) < AWAY)
		b = pick_elsewhere(v);
	mp_planner_climb_swap(&v->climb, a, b);
	if (stuck == STUCK)
		widen_set(v);
	if (stuck < STUCK)
		return;
	a = pick(v);
	b = pick(v);
	mp_planner_climb_swap(&v->climb, a, b);
}

static bool climb(struct vela *v)
{
	struct climb *c = &v->climb;
	uint32_t stuck = 0;

	for (uint32_t i = 0; i < ATTEMPTS && !mp_planner_job_done(c->job);
		i++) {
		uint64_t height;

		if (i == 0)
			find_set(v);
		make_move(v, stuck++);
		height = mp_planner_climb_try(c, c->height);
		if (height == UINT64_MAX) {
			mp_planner_climb_take_back(c);
			if (!mp_planner_job_step(c->job, 1))
				return true;
			continue;
		}
		if (height < c->height)
			stuck = 0;
		mp_planner_climb_keep(c, height);
		find_set(v);
		if (!mp_planner_job_offer(c->job, c->kept))
			return false;
	}
	return true;
}

enum outcome mp_planner_climb_vela(struct job *job, int variant)
{
	static const enum rank_key keys[RANK_KEYS] = {
		RANK_PRESSURE, RANK_LIFETIME, RANK_START, RANK_SIZE};
	struct vela vela = {.n_set = 0};

	(void)variant;
	vela.set = NEW(job->arena, uint32_t, job->problem->n_buffers);
	vela.in_set = NEW(job->arena, bool, job->problem->n_buffers);
	if (!vela.set || !vela.in_set ||
		!mp_planner_climb_init(&vela.climb, job, keys) || !climb(&vela))
		return PLAN_FAILED;
	return mp_planner_job_done(job) ? PLAN_OPTIMAL : PLAN_FOUND;
}
