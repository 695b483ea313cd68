/*
 * Sorting values, with qsort().
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/sort.h"

#include <stdlib.h>

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
