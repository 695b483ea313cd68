/*
 * A merge sort that begins with short runs sorted by insertion: nearly all
 * calls sort fewer than 100 ranges, where qsort() spends its time in the
 * comparator.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/byte-ranges.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"

enum {
	RUN = 12 /* ranges that insertion sorts faster than merging does: the
		    usual cut-off, between 8 and 16 */
};

static void insertion_sort(struct range *ranges, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct range range = ranges[i];
		uint32_t k = i;

		for (; k > 0 && ranges[k - 1].low > range.low; k--)
			ranges[k] = ranges[k - 1];
		ranges[k] = range;
	}
}

static void merge(const struct range *from, uint32_t middle, uint32_t end,
	struct range *into)
{
	uint32_t a = 0, b = middle;

	for (uint32_t k = 0; k < end; k++)
		into[k] = b == end || (a < middle && from[a].low <= from[b].low)
				  ? from[a++]
				  : from[b++];
}

/* Ascending by low. */
static void sort_ranges(struct range *ranges, uint32_t n, struct range *scratch)
{
	struct range *from = ranges, *into = scratch, *other;

	for (uint32_t i = 0; i < n; i += RUN)
		insertion_sort(ranges + i, n - i < RUN ? n - i : RUN);
	for (uint64_t run = RUN; run < n; run *= 2) {
		for (uint64_t i = 0; i < n; i += 2 * run)
			merge(from + i, (uint32_t)num_min(run, n - i),
				(uint32_t)num_min(2 * run, n - i), into + i);
		other = from;
		from = into;
		into = other;
	}
	if (from != ranges)
		memcpy(ranges, from, sizeof(*ranges) * n);
}

uint32_t mp_planner_ranges_join(
	struct range *ranges, uint32_t n, struct range *scratch)
{
	uint32_t joined = 0;

	assert(n == 0 || ranges != scratch);
	sort_ranges(ranges, n, scratch);
	for (uint32_t i = 0; i < n; i++) {
		if (joined > 0 && ranges[i].low <= ranges[joined - 1].high)
			ranges[joined - 1].high = num_max(
				ranges[joined - 1].high, ranges[i].high);
		else
			ranges[joined++] = ranges[i];
	}
	return joined;
}
