/*
 * The parts of the random graphs for the player.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_PLAYER_RANDOM_H
#define MP_TESTING_PLAYER_RANDOM_H

#include "testing/player.h"
#include "testing/random.h"

struct maker {
	struct play *play;
	uint64_t state;
	uint64_t stale;	 /* tensors that were overwritten */
	uint64_t of_any; /* tensors that have aliases or are aliases */
	uint32_t n_fixed;
	bool aliases, states, lifelong, fixed, branches, empty;
};

static inline uint32_t mp_testing_make_below(struct maker *m, uint32_t n)
{
	return mp_testing_below(&m->state, n);
}

static inline bool mp_testing_make_one_in(struct maker *m, uint32_t n)
{
	return mp_testing_one_in(&m->state, n);
}

/* Sets lifetimes as the ops need them, and gaps. */
void mp_testing_make_pin_some(struct maker *m);
void mp_testing_make_pause_some(struct maker *m);

/* Sets fixed offsets, groups, pairs, ranges and branches. */
void mp_testing_make_relate(struct maker *m, bool groups, bool relations);

#endif
