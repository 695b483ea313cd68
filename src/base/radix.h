/*
 * Digits of a radix sort, for the files that sort.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_RADIX_H
#define MP_BASE_RADIX_H

#include <stdint.h>

enum {
	RADIX_BITS = 11, /* of a digit */
	RADIX_DIGITS = 1 << RADIX_BITS,
	RADIX_AHEAD = 32 /* keys that are on their way from memory */
};

static inline uint32_t radix_digit(uint64_t key, uint32_t shift)
{
	return (key >> shift) & (RADIX_DIGITS - 1);
}

/* The shift of the next digit in which keys differ, from this one on; 64: there
 * is none. */
static inline uint32_t radix_next(uint64_t differ, uint32_t shift)
{
	while (shift < 64 && radix_digit(differ, shift) == 0)
		shift += RADIX_BITS;
	return shift < 64 ? shift : 64;
}

#endif
