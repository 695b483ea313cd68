/*
 * Sorting values with qsort(), and indices with a least significant digit radix
 * sort.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/sort.h"

#include <assert.h>
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
	FEW_BITS = 8
};

static void insertion_sort(uint32_t *indices, uint32_t n, const uint64_t *key)
{
	for (uint32_t i = 1; i < n; i++) {
		uint32_t moving = indices[i], j = i;

		for (; j > 0 && key[indices[j - 1]] > key[moving]; j--)
			indices[j] = indices[j - 1];
		indices[j] = moving;
	}
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

void mp_sort_radix(
	uint32_t *indices, uint32_t *scratch, uint32_t n, const uint64_t *key)
{
	uint32_t *from = indices, *to = scratch, *swap;
	uint32_t count[RADIX_DIGITS], bits, shift, next;
	uint64_t differ = 0;

	assert(indices != scratch || n == 0);
	if (n < SMALL) {
		insertion_sort(indices, n, key);
		return;
	}
	for (uint32_t i = 1; i < n; i++)
		differ |= key[indices[i]] ^ key[indices[0]];
	bits = n < FEW ? FEW_BITS : RADIX_BITS;
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
