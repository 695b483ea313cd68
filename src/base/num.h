/*
 * Checked arithmetic on sizes. Every sum, product and rounding of bytes from
 * the input uses these functions; false means that the result does not fit.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_NUM_H
#define MP_BASE_NUM_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Sizes, offsets and arenas stay below this, so that signed differences and
 * sums of two never overflow in the planners. */
#define NUM_MAX_BYTES (UINT64_C(1) << 62)

/* 2^53: a double holds all integers up to it exactly, and most readers of JSON
 * have doubles. */
#define NUM_MAX_EXACT (UINT64_C(1) << 53)

/* No id, no step, no index. */
#define NONE UINT32_MAX

#define countof(array) (sizeof(array) / sizeof((array)[0]))

static inline bool num_add(uint64_t a, uint64_t b, uint64_t *sum)
{
	*sum = a + b;
	return *sum >= a && *sum <= NUM_MAX_BYTES;
}

static inline bool num_mul(uint64_t a, uint64_t b, uint64_t *product)
{
	*product = a * b;
	if ((a | b) >> 31 == 0)
		return true; /* without the division, which is slow */
	return (a == 0 || b <= NUM_MAX_BYTES / a) && *product <= NUM_MAX_BYTES;
}

/* As much as there is, if the product is more. */
static inline uint64_t num_mul_most(uint64_t a, uint64_t b)
{
	return b == 0 || a <= UINT64_MAX / b ? a * b : UINT64_MAX;
}

static inline bool num_is_pow2(uint64_t a)
{
	return a != 0 && (a & (a - 1)) == 0;
}

/* About the binary logarithm of a number that is not 0, in 256ths: a power of
 * two has its own, and it grows linearly up to the next. */
static inline uint32_t num_log2(uint64_t a)
{
	uint32_t zeros = (uint32_t)__builtin_clzll(a);

	return (63 - zeros) * 256 + (uint32_t)(a << zeros >> 55 & 255);
}

/* Rounds up to a multiple of alignment, which is a power of two. */
static inline bool num_align(uint64_t a, uint64_t alignment, uint64_t *rounded)
{
	uint64_t sum;

	assert(num_is_pow2(alignment));
	if (!num_add(a, alignment - 1, &sum))
		return false;
	*rounded = sum & ~(alignment - 1);
	return true;
}

/* Rounds up to a multiple of alignment, where the result is known to fit. */
static inline uint64_t num_up(uint64_t a, uint64_t alignment)
{
	assert(num_is_pow2(alignment) && a <= UINT64_MAX - alignment);
	return (a + alignment - 1) & ~(alignment - 1);
}

/* Rounds down likewise. */
static inline uint64_t num_down(uint64_t a, uint64_t alignment)
{
	assert(num_is_pow2(alignment));
	return a & ~(alignment - 1);
}

static inline uint64_t num_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t num_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Nanoseconds that it takes to move so many bytes at that many bytes a second,
 * rounded down; at most NUM_MAX_BYTES. */
static inline uint64_t num_copy_time(uint64_t bytes, uint64_t rate)
{
	const uint64_t second = UINT64_C(1000000000);
	uint64_t seconds, rest;

	assert(rate > 0);
	seconds = bytes / rate;
	rest = bytes % rate;
	/* Above 17 GB a second a nanosecond moves many bytes, so rounding
	 * matters. */
	while (rest > UINT64_MAX / second) {
		rest >>= 1;
		rate >>= 1;
	}
	if (seconds > NUM_MAX_BYTES / second)
		return NUM_MAX_BYTES;
	return seconds * second + rest * second / rate;
}

#endif
