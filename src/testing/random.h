/*
 * For tests: numbers that follow from a seed, and how many seeds to try.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_RANDOM_H
#define MP_TESTING_RANDOM_H

#include <assert.h>
#include <stdbool.h>

#include "base/prng.h"

/* A number below n, which is not 0. */
static inline uint32_t mp_testing_below(uint64_t *state, uint64_t n)
{
	assert(n > 0 && n <= UINT64_C(1) << 32);
	return (uint32_t)(mp_prng(state) % n);
}

/* True once in n draws. */
static inline bool mp_testing_one_in(uint64_t *state, uint64_t n)
{
	return mp_testing_below(state, n) == 0;
}

/* How many seeds a test tries: the usual number, or `nightly` times what
 * MEMPLAN_PROBLEMS in the environment says. */
uint64_t mp_testing_cases(uint64_t usual, uint64_t nightly);

/* The first of them: 1, or what MEMPLAN_FIRST says, below 2^32. */
uint64_t mp_testing_first(void);

#endif
