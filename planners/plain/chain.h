/*
 * A chain of items on a plateau, from wall to wall: worth what its items are
 * worth, which is more for long and large ones, less something for each change
 * of height and for each section that stays empty. That is the shortest path in
 * a graph of sections: for each section, the best ways to reach it that end at
 * different heights.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_CHAIN_H
#define MP_PLANNERS_PLAIN_CHAIN_H

#include "base/bitset.h"
#include "planners/plain/packing.h"

enum {
	CHAIN_ONE = 256, /* of weights */
	/* The first weights: */
	CHAIN_SIZE = 2 * CHAIN_ONE,
	CHAIN_EDGE = 2898, /* logarithm of 10 */
	CHAIN_GAP = 9 * CHAIN_ONE / 2
};

struct chain_weights {
	int64_t size; /* of the logarithm of a size; that of a lifetime has
			 CHAIN_ONE */
	int64_t edge; /* logarithm of what a change of height costs */
	int64_t gap;  /* an empty section */
};

/* These weights, made as large or small as they may be. */
struct chain_weights mp_planner_chain_bounded(struct chain_weights weights);

struct chain {
	const struct packing *packing;
	int64_t edge, gap;   /* what a change of height and a gap cost */
	int64_t *worth;	     /* of an item */
	struct bits waiting; /* i + 1 of each item i not placed, and the end */
	struct chain_tip *tips;
	uint32_t *n_tips;

	/* Sections that cost so much more if they stay empty. Set before a
	 * search. */
	uint32_t start, end;
	int64_t empty;
	/* Makes all worth a quarter more or less by chance; NULL: it is what it
	 * is. Set before a search. */
	uint64_t *random;

	/* What came out. */
	uint32_t *found; /* items, the last in time first */
	uint32_t n_found;
	uint64_t looks; /* items looked at, added up */
};

/* Makes room; no item waits. False: memory is out. */
bool mp_planner_chain_init(struct chain *chain, const struct packing *packing,
	struct arena *arena);

/* Computes what each item is worth by these weights. */
void mp_planner_chain_weigh(struct chain *chain, struct chain_weights weights);

/* Makes all items wait. */
void mp_planner_chain_reset(struct chain *chain);

static inline bool mp_planner_chain_waits(
	const struct chain *chain, uint32_t item)
{
	return bits_has(&chain->waiting, item + 1);
}

static inline void mp_planner_chain_take(struct chain *chain, uint32_t item)
{
	bits_remove(&chain->waiting, item + 1);
}

static inline void mp_planner_chain_put(struct chain *chain, uint32_t item)
{
	bits_add(&chain->waiting, item + 1);
}

/* Finds the best chain of waiting items in sections [start, end) between walls
 * of these heights, which may be INT64_MAX. It may have no item. False: none
 * lies within. */
bool mp_planner_chain_find(struct chain *chain, uint32_t start, uint32_t end,
	int64_t before, int64_t behind);

#endif
