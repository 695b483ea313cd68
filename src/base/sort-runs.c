/*
 * Natural merge sort.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/sort.h"

#include <assert.h>
#include <string.h>

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
