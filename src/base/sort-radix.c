/*
 * Least significant digit radix sort of indices.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/sort.h"

#include <assert.h>
#include <string.h>

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
