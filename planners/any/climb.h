/*
 * Hill climbing over placing orders. An order says which buffer is placed when;
 * each goes to the lowest gap. A move swaps the turns of two buffers, or of two
 * pairs; all buffers from the earliest of these turns on are placed again. The
 * caller chooses the moves and says whether a move stays or is taken back.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_ANY_CLIMB_H
#define MP_PLANNERS_ANY_CLIMB_H

#include "planners/any/greedy.h"

enum {
	CLIMB_SWAPS = 2 /* at most, of one move */
};

struct swap {
	uint32_t a, b; /* buffers */
};

struct climb {
	struct job *job;
	const struct problem *problem;
	struct conflicts conflicts;
	uint32_t *order;   /* buffers by turn: the order at hand */
	uint32_t *turn;	   /* of a buffer: the inverse */
	uint64_t *offsets; /* of the order at hand */
	uint64_t *kept;	   /* offsets of the last good order */
	uint64_t height;   /* of the last good order */
	uint64_t random;
	struct swap swaps[CLIMB_SWAPS]; /* of the move at hand */
	uint32_t n_swaps;
	bool failed; /* memory is out */
};

/* Places all buffers in the order of the keys, or without any in that of their
 * offsets in the best plan, and offers the plan. False: the offer failed, or
 * memory is out. */
bool mp_planner_climb_init(
	struct climb *climb, struct job *job, const enum rank_key *keys);

/* A number below the limit; the same sequence everywhere for one seed. */
uint32_t mp_planner_climb_random(struct climb *climb, uint32_t limit);

/* Fills climb.conflicts with the buffers of the first turns, and those fixed.
 */
void mp_planner_climb_replay(struct climb *climb, uint32_t turns);

/* The address at which a buffer ends in the order at hand. */
uint64_t mp_planner_climb_top(const struct climb *climb, uint32_t buffer);

/* Adds a swap to the move at hand. */
void mp_planner_climb_swap(struct climb *climb, uint32_t a, uint32_t b);

/* The height of the order that the move makes; UINT64_MAX if it is above the
 * limit, the budget is spent, or it has failed. */
uint64_t mp_planner_climb_try(struct climb *climb, uint64_t limit);

/* Makes a move and tries it. Returns its height if it stays, or UINT64_MAX. i:
 * attempts before this one. */
typedef uint64_t mp_planner_climb_attempt(void *context, uint32_t i);

/* Attempts moves, at most so many, and offers the order of each that stays;
 * others are taken back. */
enum outcome mp_planner_climb_on(struct climb *climb, uint32_t attempts,
	mp_planner_climb_attempt *attempt, void *context);

#endif
