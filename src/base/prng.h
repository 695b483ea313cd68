/*
 * Pseudo-random numbers: splitmix64 (Steele, Lea, Flood, OOPSLA 2014). The same
 * on every machine.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_PRNG_H
#define MP_BASE_PRNG_H

#include <stdint.h>

static inline uint64_t mp_prng(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Fisher and Yates's, as Durstenfeld's Algorithm 235, Communications of the ACM
 * 7(7), 1964. */
static inline void mp_prng_shuffle(uint64_t *state, uint32_t *list, uint32_t n)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = (uint32_t)(mp_prng(state) % i);
		uint32_t swap = list[i - 1];

		list[i - 1] = list[k];
		list[k] = swap;
	}
}

#endif
