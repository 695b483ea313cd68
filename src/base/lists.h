/*
 * Many short lists in two arrays, filled in two passes over the same links:
 * mp_lists_init(), mp_lists_count() for each link, mp_lists_ready(),
 * mp_lists_add() for each link again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_LISTS_H
#define MP_BASE_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* A list of indices. */
struct ids {
	const uint32_t *at;
	uint32_t n;
};

struct lists {
	uint32_t *first; /* where each begins in links; one more for the end */
	uint32_t *links;
};

static inline struct ids mp_lists_at(const struct lists *lists, uint32_t i)
{
	return (struct ids){lists->links + lists->first[i],
		lists->first[i + 1] - lists->first[i]};
}

/* Is the value in a list that ascends? */
bool mp_lists_contain(struct ids list, uint32_t value);

/* Room for n lists. */
bool mp_lists_init(struct lists *lists, uint32_t n, struct arena *arena);

/* List i is to have that many links more. */
void mp_lists_count(struct lists *lists, uint32_t i, uint32_t more);

bool mp_lists_ready(struct lists *lists, uint32_t n, struct arena *arena);

void mp_lists_add(struct lists *lists, uint32_t i, uint32_t link);

/* The other direction: for each of n_to, which of n_from lists name it. */
bool mp_lists_transpose(const struct lists *from, uint32_t n_from,
	struct lists *to, uint32_t n_to, struct arena *arena);

#endif
