/*
 * Many short lists in two arrays (compressed sparse rows), filled in two passes
 * over the same links: mp_lists_init(), mp_lists_count() for each link,
 * mp_lists_ready(), mp_lists_add() for each link again. Links of a list keep
 * the order in which they were added.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_LISTS_H
#define MP_BASE_LISTS_H

#include <assert.h>
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

/* A copy of a list in the arena. */
bool mp_lists_copy(struct ids *list, const uint32_t *from, uint32_t n,
	struct arena *arena);

/* Is the value in a list that ascends? */
bool mp_lists_contain(struct ids list, uint32_t value);

/* Is it in a short list, in whatever order? */
static inline bool mp_lists_has(struct ids list, uint32_t value)
{
	for (uint32_t i = 0; i < list.n; i++)
		if (list.at[i] == value)
			return true;
	return false;
}

/* Room for n lists. */
bool mp_lists_init(struct lists *lists, uint32_t n, struct arena *arena);

/* List i gets that many links more. */
static inline void mp_lists_count(
	struct lists *lists, uint32_t i, uint32_t more)
{
	lists->first[i + 2] += more;
}

/* To be called when all links of the n lists are counted. */
bool mp_lists_ready(struct lists *lists, uint32_t n, struct arena *arena);

/* Adds a link that was counted. */
static inline void mp_lists_add(struct lists *lists, uint32_t i, uint32_t link)
{
	/* A failure means that the list gets more links than were counted. */
	assert(lists->first[i + 1] < lists->first[i + 2]);
	lists->links[lists->first[i + 1]++] = link;
}

/* Drops repeated links of list i, which ascends, and returns what is left.
 * mp_lists_at() still has as many links as before. */
struct ids mp_lists_unique(struct lists *lists, uint32_t i);

/* The other direction: for each of n_to, the numbers of the n_from lists that
 * contain it, ascending. */
bool mp_lists_transpose(const struct lists *from, uint32_t n_from,
	struct lists *to, uint32_t n_to, struct arena *arena);

/* The indices of n elements by a key of theirs: list i has those with the key
 * i, ascending; with the key NONE: in no list. The first key is at `keys`, the
 * next `size` bytes behind, as in an array of structs of that size. */
bool mp_lists_group(struct lists *lists, uint32_t n_lists, const uint32_t *keys,
	size_t size, uint32_t n, struct arena *arena);

#endif
