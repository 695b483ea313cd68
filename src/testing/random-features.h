/*
 * The inside of random graphs: the dice, and what is left of them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_RANDOM_FEATURES_H
#define MP_TESTING_RANDOM_FEATURES_H

#include "base/prng.h"
#include "testing/player.h"

struct maker {
	struct play *play;
	uint64_t state;
	uint64_t stale;	 /* tensors that were written over */
	uint64_t of_any; /* tensors that have aliases or are such */
	uint32_t n_fixed;
	bool aliases, states, lifelong, fixed, branches, empty;
};

static inline uint32_t mp_testing_make_below(struct maker *m, uint32_t n)
{
	return (uint32_t)(mp_prng(&m->state) >> 33) % n;
}

static inline bool mp_testing_make_one_in(struct maker *m, uint32_t n)
{
	return mp_testing_make_below(m, n) == 0;
}

/* Lifetimes as long as ops need tensors, and gaps in lifetimes. */
void mp_testing_make_pin_some(struct maker *m);
void mp_testing_make_pause_some(struct maker *m);

/* Places, groups, pairs, ranges and branches. */
void mp_testing_make_relate(struct maker *m, bool groups, bool relations);

#endif
