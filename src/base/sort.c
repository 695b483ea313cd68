/*
 * Sorting values with qsort(), indices with a least significant digit radix
 * sort, and values nearly in order with a natural merge sort.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
	DIGIT_BITS = 11,
	DIGITS = 1 << DIGIT_BITS,
	SMALL = 64, /* below this, insertion beats counting */
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

/* One pass of counting sort by one digit. */
static void sort_digit(const uint32_t *from, uint32_t *to, uint32_t n,
	const uint64_t *key, uint32_t shift)
{
	uint32_t first[DIGITS] = {0}, sum = 0, count;

	for (uint32_t i = 0; i < n; i++)
		first[(key[from[i]] >> shift) & (DIGITS - 1)]++;
	for (uint32_t digit = 0; digit < DIGITS; digit++) {
		count = first[digit];
		first[digit] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < n; i++)
		to[first[(key[from[i]] >> shift) & (DIGITS - 1)]++] = from[i];
}

void mp_sort_radix(
	uint32_t *indices, uint32_t *scratch, uint32_t n, const uint64_t *key)
{
	uint32_t *from = indices, *to = scratch, *swap;
	uint64_t differ = 0;

	assert(indices != scratch || n == 0);
	if (n < SMALL) {
		insertion_sort(indices, n, key);
		return;
	}
	for (uint32_t i = 1; i < n; i++)
		differ |= key[indices[i]] ^ key[indices[0]];
	for (uint32_t shift = 0; shift < 64; shift += DIGIT_BITS) {
		if (((differ >> shift) & (DIGITS - 1)) == 0)
			continue;
		sort_digit(from, to, n, key, shift);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != indices)
		memcpy(indices, from, sizeof(*indices) * n);
}

/* ------------------------------------------------------------- runs */

/* The end of the rising run that begins here. */
static uint32_t run_end(const uint32_t *values, uint32_t begin, uint32_t n)
{
	uint32_t end = begin + 1;

	while (end < n && values[end - 1] <= values[end])
		end++;
	return end;
}

/* The runs [0, middle) and [middle, n) become one. */
static void merge_runs(
	const uint32_t *from, uint32_t middle, uint32_t n, uint32_t *to)
{
	uint32_t i = 0, k = middle;

	while (i < middle && k < n)
		*to++ = from[i] < from[k] ? from[i++] : from[k++];
	memcpy(to, from + i, sizeof(*to) * (middle - i));
	memcpy(to + (middle - i), from + k, sizeof(*to) * (n - k));
}

/* Merges the runs in pairs, the first of which ends at `middle`. Returns where
 * the first run ends now. */
static uint32_t merge_pairs(
	const uint32_t *from, uint32_t middle, uint32_t n, uint32_t *to)
{
	uint32_t first = 0, end;

	for (uint32_t begin = 0; begin < n; begin = end) {
		middle = begin ? run_end(from, begin, n) : middle;
		end = middle < n ? run_end(from, middle, n) : n;
		merge_runs(
			from + begin, middle - begin, end - begin, to + begin);
		first = begin ? first : end;
	}
	return first;
}

void mp_sort_runs(uint32_t *values, uint32_t *scratch, uint32_t n)
{
	uint32_t *from = values, *to = scratch, *swap;
	uint32_t first = run_end(from, 0, n);

	assert(values != scratch || n == 0);
	while (first < n) {
		first = merge_pairs(from, first, n, to);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != values)
		memcpy(values, from, sizeof(*values) * n);
}
