/*
 * Digits of a radix sort, for the files that sort.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_RADIX_H
#define MP_BASE_RADIX_H

#include <stdint.h>

enum {
	RADIX_BITS = 11, /* of a digit, at most */
	RADIX_DIGITS = 1 << RADIX_BITS,
	RADIX_AHEAD = 32 /* keys that are on their way from memory */
};

static inline uint32_t radix_digit(uint64_t key, uint32_t shift, uint32_t bits)
{
	return (uint32_t)(key >> shift) & ((1u << bits) - 1);
}

/* The shift of the next digit: the first bit from this one on in which keys
 * differ; 64: there is none. */
static inline uint32_t radix_next(uint64_t differ, uint32_t shift)
{
	uint64_t left = shift < 64 ? differ >> shift : 0;

	return left ? shift + (uint32_t)__builtin_ctzll(left) : 64;
}

#endif
