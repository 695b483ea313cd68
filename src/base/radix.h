/*
 * Digits of a radix sort, for the files that sort.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_RADIX_H
#define MP_BASE_RADIX_H

#include <stdbool.h>
#include <stdint.h>

enum {
	RADIX_BITS = 11, /* of a digit, at most */
	RADIX_DIGITS = 1 << RADIX_BITS,
	RADIX_AHEAD = 32,    /* keys that are on their way from memory */
	RADIX_LONG = 4,	     /* digits: fewer take less than one by one */
	RADIX_MANY = 1 << 18 /* keys: fewer are in the cache anyway */
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

/* Do so many keys differ in so many digits that the first digit is sorted
 * first? What is equal in it is in the cache then. */
static inline bool radix_is_long(uint32_t n, uint64_t differ)
{
	uint32_t shift = radix_next(differ, 0), digits = 0;

	for (; shift < 64; shift = radix_next(differ, shift + RADIX_BITS))
		digits++;
	return n >= RADIX_MANY && digits >= RADIX_LONG;
}

/* The shift of the first digit in which keys differ. */
static inline uint32_t radix_top(uint64_t differ)
{
	uint32_t bits = 64 - (uint32_t)__builtin_clzll(differ | 1);

	return bits > RADIX_BITS ? bits - RADIX_BITS : 0;
}

#endif
