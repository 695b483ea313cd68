/*
 * Sorting values with qsort(), and indices with a least significant digit radix
 * sort.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/sort.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/radix.h"

/* ----------------------------------------------------------- values */

static int compare_u32(const void *left, const void *right)
{
	return mp_sort_compare(
		*(const uint32_t *)left, *(const uint32_t *)right);
}

static int compare_u64(const void *left, const void *right)
{
	return mp_sort_compare(
		*(const uint64_t *)left, *(const uint64_t *)right);
}

void mp_sort_u32(uint32_t *values, uint32_t n)
{
	if (n > 1)
		qsort(values, n, sizeof(*values), compare_u32);
}

void mp_sort_u64(uint64_t *values, uint32_t n)
{
	if (n > 1)
		qsort(values, n, sizeof(*values), compare_u64);
}

uint32_t mp_sort_unique_u32(uint32_t *values, uint32_t n)
{
	uint32_t kept = 0;

	mp_sort_u32(values, n);
	for (uint32_t i = 0; i < n; i++)
		if (kept == 0 || values[kept - 1] != values[i])
			values[kept++] = values[i];
	return kept;
}

uint32_t mp_sort_unique_u64(uint64_t *values, uint32_t n)
{
	uint32_t kept = 0;

	mp_sort_u64(values, n);
	for (uint32_t i = 0; i < n; i++)
		if (kept == 0 || values[kept - 1] != values[i])
			values[kept++] = values[i];
	return kept;
}

/* ------------------------------------------------------------ radix */

enum {
	SMALL = 40, /* below this, insertion beats counting */
	/* Below this, going through all values of a long digit takes longer
	 * than more passes do. */
	FEW = 4096,
	FEW_BITS = 8,
	SPREAD = 1024, /* below this, keys may be spread as far as they go, */
	CLOSE = 4      /* unless so many are before each in its place */
};

/* The places may be those that the indices come from. */
static void insertion_sort(
	const uint32_t *from, uint32_t *to, uint32_t n, const uint64_t *key)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t moving = from[i], j = i;

		for (; j > 0 && key[to[j - 1]] > key[moving]; j--)
			to[j] = to[j - 1];
		to[j] = moving;
	}
}

/* Puts the indices to where the first bits in which keys differ say, about
 * three places an index, then sorts what is in one place by insertion. False:
 * too many keys are close together. */
static bool sort_spread(uint32_t *indices, uint32_t *scratch, uint32_t n,
	const uint64_t *key, uint64_t differ)
{
	uint32_t first[RADIX_DIGITS];
	uint32_t bits = 65 - (uint32_t)__builtin_clzll(n);
	uint32_t top = 64 - (uint32_t)__builtin_clzll(differ | 1);
	uint32_t shift = top > bits ? top - bits : 0, sum = 0, moves = 0;

	assert(bits <= RADIX_BITS);
	memset(first, 0, sizeof(*first) << bits);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *place =
			&first[radix_digit(key[indices[i]], shift, bits)];

		moves += (*place)++;
	}
	if (moves / CLOSE > n)
		return false;
	for (uint32_t place = 0; place < 1u << bits; place++) {
		sum += first[place];
		first[place] = sum - first[place];
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t index = indices[i];

		scratch[first[radix_digit(key[index], shift, bits)]++] = index;
	}
	insertion_sort(scratch, indices, n, key);
	return true;
}

/* One pass of counting sort by one digit, which counts those of the next pass
 * too: reading the keys is what takes time. */
static void sort_digit(const uint32_t *from, uint32_t *to, uint32_t n,
	const uint64_t *key, uint32_t bits, uint32_t shift, uint32_t *count,
	uint32_t next)
{
	uint32_t first[RADIX_DIGITS], sum = 0;

	for (uint32_t digit = 0; digit < 1u << bits; digit++) {
		first[digit] = sum;
		sum += count[digit];
		count[digit] = 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint64_t value = key[from[i]];

		__builtin_prefetch(
			&key[from[i + RADIX_AHEAD < n ? i + RADIX_AHEAD : i]]);
		to[first[radix_digit(value, shift, bits)]++] = from[i];
		count[radix_digit(value, next, bits)]++;
	}
}

/* By the last digit first, then by each digit before it. */
static void sort_digits(uint32_t *indices, uint32_t *scratch, uint32_t n,
	const uint64_t *key, uint64_t differ)
{
	uint32_t *from = indices, *to = scratch, *swap;
	uint32_t count[RADIX_DIGITS], shift, next;
	uint32_t bits = n < FEW ? FEW_BITS : RADIX_BITS;

	memset(count, 0, sizeof(*count) << bits);
	shift = radix_next(differ, 0);
	for (uint32_t i = 0; shift < 64 && i < n; i++)
		count[radix_digit(key[indices[i]], shift, bits)]++;
	for (; shift < 64; shift = next) {
		next = radix_next(differ, shift + bits);
		sort_digit(from, to, n, key, bits, shift, count, next % 64);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != indices)
		memcpy(indices, from, sizeof(*indices) * n);
}

/* By the first digit, then by the others what is equal in it: those keys stay
 * in the cache. Each level has fewer bits left, so there are six at most. */
static void sort_top(uint32_t *indices, uint32_t *scratch, uint32_t n,
	const uint64_t *key, uint64_t differ)
{
	uint32_t end[RADIX_DIGITS] = {0}, sum = 0;
	uint32_t shift = radix_top(differ);

	for (uint32_t i = 0; i < n; i++)
		end[radix_digit(key[indices[i]], shift, RADIX_BITS)]++;
	for (uint32_t digit = 0; digit < RADIX_DIGITS; digit++) {
		sum += end[digit];
		end[digit] = sum - end[digit];
	}
	for (uint32_t i = 0; i < n; i++)
		scratch[end[radix_digit(
			key[indices[i]], shift, RADIX_BITS)]++] = indices[i];
	for (uint32_t digit = 0; digit < RADIX_DIGITS; digit++) {
		uint32_t from = digit > 0 ? end[digit - 1] : 0;

		mp_sort_radix(
			scratch + from, indices + from, end[digit] - from, key);
	}
	memcpy(indices, scratch, sizeof(*indices) * n);
}

void mp_sort_radix(
	uint32_t *indices, uint32_t *scratch, uint32_t n, const uint64_t *key)
{
	uint64_t differ = 0;

	assert(indices != scratch || n == 0);
	if (n < SMALL) {
		insertion_sort(indices, indices, n, key);
		return;
	}
	for (uint32_t i = 1; i < n; i++)
		differ |= key[indices[i]] ^ key[indices[0]];
	if (n < SPREAD && sort_spread(indices, scratch, n, key, differ))
		return;
	if (radix_is_long(n, differ))
		sort_top(indices, scratch, n, key, differ);
	else
		sort_digits(indices, scratch, n, key, differ);
}
