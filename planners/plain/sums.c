/*
 * Sums, one size after the other: see sums.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/sums.h"

#include "base/num.h"
#include "base/sort.h"

bool mp_planner_sums_open(
	struct sums *sums, uint64_t n_words, struct arena *arena)
{
	uint64_t *words = NEW(arena, uint64_t, n_words + 1);

	*sums = (struct sums){.n_words = n_words};
	if (!words)
		return false;
	sums->words = words + 1;
	return true;
}

/* Adds words that are shifted up by some bits, each with what the one below it
 * leaves to it. They are none of those that they are added to: so the compiler
 * takes several at once. */
static void add_words(uint64_t *restrict to, const uint64_t *restrict from,
	uint64_t n, uint64_t bits)
{
	for (uint64_t k = 0; k < n; k++)
		to[k] |= from[k + 1] << bits | from[k] >> 1 >> (63 - bits);
}

/* Adds the sums that this size makes of those before it. From the top down, so
 * that no sum counts the size twice. */
static void add_size(uint64_t *words, uint64_t n, uint64_t size)
{
	uint64_t up = size / 64, most = num_max(up, 1), first;

	for (; n > up; n = first) {
		const uint64_t *from;
		uint64_t pair[2];

		first = n - num_min(n - up, most);
		from = &words[first - up] - 1;
		pair[0] = from[0];
		pair[1] = from[1];
		add_words(&words[first], up > 0 ? from : pair, n - first,
			size % 64);
	}
}

/* Of so many of one size: any number of them is a sum of 1, 2, 4 and so on, and
 * of what these leave. */
static void add_copies(
	uint64_t *words, uint64_t n, uint64_t size, uint32_t n_copies)
{
	for (uint64_t some = 1; n_copies > 0 && size <= n * 64 / some;
		some *= 2) {
		some = num_min(some, n_copies);
		add_size(words, n, size * some);
		n_copies -= (uint32_t)some;
	}
}

/* In ascending order, as the first sums take few words then. */
void mp_planner_sums_find(struct sums *sums, uint64_t *sizes, uint32_t n)
{
	uint64_t all = 0;

	if (sums->n_words == 0)
		return;
	sums->words[0] = 1;
	mp_sort_u64(sizes, n);
	for (uint32_t i = 0, k; i < n; i += k) {
		for (k = 1; i + k < n && sizes[i + k] == sizes[i];)
			k++;
		all += sizes[i] * k;
		add_copies(sums->words, num_min(sums->n_words, all / 64 + 1),
			sizes[i], k);
	}
}
