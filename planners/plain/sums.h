/*
 * Which sums of sizes there are, up to some size: a bit for each. In a plan
 * where nothing can lie lower, each height is such a sum.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_SUMS_H
#define MP_PLANNERS_PLAIN_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct sums {
	uint64_t *words; /* behind an empty one */
	uint64_t n_words;
};

/* Room for the sums below 64 times so many words; none is known yet. False:
 * memory is out. */
bool mp_planner_sums_open(
	struct sums *sums, uint64_t n_words, struct arena *arena);

/* Are they known? */
static inline bool mp_planner_sums_known(const struct sums *sums)
{
	return sums->n_words > 0 && sums->words[0] != 0;
}

/* Finds the sums of sizes, each of which counts once, and sorts them. */
void mp_planner_sums_find(struct sums *sums, uint64_t *sizes, uint32_t n);

/* Of a sum that there is room for. */
static inline bool mp_planner_sums_has(const struct sums *sums, uint64_t sum)
{
	return sums->words[sum / 64] >> sum % 64 & 1;
}

#endif
