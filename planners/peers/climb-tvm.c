/*
 * tvm-hill-climb: the hill climb of TVM's USMP (hill_climb.cc). A move swaps
 * the turns of a conflict of a highest buffer and of another one, or of a
 * conflict of such a conflict. A worse order is kept at times, the later the
 * more rarely.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/climb.h"
#include "planners/peers/rows.h"

enum {
	/* As in hill_climb.cc. */
	ATTEMPTS = 500,
	SECOND = 75 /* per cent: swaps with a conflict of a conflict */
};

/* Picks one of a sequence of buffers, each with the same chance. */
struct pick {
	struct climb *climb;
	uint32_t before; /* buffers of this turn or later do not count */
	uint32_t n, picked;
};

static void pick_one(void *context, uint32_t met, struct range bases)
{
	struct pick *pick = context;

	(void)bases;
	if (pick->climb->turn[met] >= pick->before)
		return;
	if (mp_planner_climb_random(pick->climb, ++pick->n) == 0)
		pick->picked = met;
}

/* Conflicts of a conflict that are placed before it. */
static void pick_second(void *context, uint32_t met, struct range bases)
{
	struct pick *pick = context;

	(void)bases;
	pick->before = pick->climb->turn[met];
	mp_planner_conflicts_visit(
		&pick->climb->conflicts, met, pick_one, context);
}

static uint32_t pick_highest(struct climb *c)
{
	uint32_t n = 0, picked = NONE;

	for (uint32_t i = 0; i < c->problem->n_buffers; i++)
		if (mp_planner_climb_top(c, i) == c->height &&
			mp_planner_climb_random(c, ++n) == 0)
			picked = i;
	return picked;
}

static void make_move(struct climb *c)
{
	uint32_t highest = pick_highest(c);
	struct pick first = {c, c->turn[highest], 0, NONE}, other = first;

	mp_planner_climb_replay(c, c->problem->n_buffers);
	mp_planner_conflicts_visit(&c->conflicts, highest, pick_one, &first);
	if (mp_planner_climb_random(c, 100) < SECOND)
		mp_planner_conflicts_visit(
			&c->conflicts, highest, pick_second, &other);
	else
		mp_planner_conflicts_visit(
			&c->conflicts, highest, pick_one, &other);
	if (first.picked != NONE && other.picked != NONE)
		mp_planner_climb_swap(c, first.picked, other.picked);
}

static bool accepts(struct climb *c, uint64_t height, uint32_t i)
{
	uint64_t chance;

	if (height == UINT64_MAX)
		return false;
	if (height < c->height)
		return true;
	chance = (height - c->height) / (c->height / 50 + 1) / (i + 1);
	return mp_planner_climb_random(c, 100) < chance;
}

static uint64_t attempt(void *context, uint32_t i)
{
	struct climb *c = context;
	uint64_t height;

	make_move(c);
	height = mp_planner_climb_try(c, UINT64_MAX - 1);
	return accepts(c, height, i) ? height : UINT64_MAX;
}

enum outcome mp_planner_climb_tvm(struct job *job, int variant)
{
	static const enum rank_key keys[RANK_KEYS] = {
		RANK_SIZE, RANK_CONFLICTS};
	struct climb climb;

	(void)variant;
	if (!mp_planner_climb_init(&climb, job, keys))
		return PLAN_FAILED;
	return mp_planner_climb_on(&climb, ATTEMPTS - 1, attempt, &climb);
}
