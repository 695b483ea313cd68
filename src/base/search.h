/*
 * Binary search in ascending arrays. Every function returns the lower bound:
 * the index of the first element with a key not below the value, or n if all
 * keys are. The first element above a value is the lower bound of the value
 * plus 1.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_SEARCH_H
#define MP_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* Elements of `size` bytes with a 32-bit key at byte `key`:
 * mp_search_key_u32(ops, sizeof(*ops), offsetof(struct op, first), n, 7). If
 * both are constants, it is as fast as a search written by hand. */
static inline uint32_t mp_search_key_u32(
	const void *array, size_t size, size_t key, uint32_t n, uint32_t value)
{
	const void *at;
	uint32_t low = 0, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		at = (const char *)array + middle * size + key;
		if (*(const uint32_t *)at < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* As mp_search_key_u32(), with a 64-bit key. */
static inline uint32_t mp_search_key_u64(
	const void *array, size_t size, size_t key, uint32_t n, uint64_t value)
{
	const void *at;
	uint32_t low = 0, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		at = (const char *)array + middle * size + key;
		if (*(const uint64_t *)at < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The same in an array of plain numbers. */
static inline uint32_t mp_search_u32(
	const uint32_t *array, uint32_t n, uint32_t value)
{
	return mp_search_key_u32(array, sizeof(*array), 0, n, value);
}

static inline uint32_t mp_search_u64(
	const uint64_t *array, uint32_t n, uint64_t value)
{
	return mp_search_key_u64(array, sizeof(*array), 0, n, value);
}

#endif
