/*
 * At which bases a buffer would overlap placed ones, and what that costs: for
 * local searches that remove what is in the way. The bases are swept upwards.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_ANY_HITS_H
#define MP_PLANNERS_ANY_HITS_H

#include "planners/any/conflict.h"

/* The weight of a buffer that is not to be removed. */
#define HITS_NEVER UINT64_MAX

/* At bases [low, high) the buffer asked for overlaps a placed one, the owner.
 */
struct hits {
	const struct conflicts *conflicts;
	uint64_t *low, *high;
	uint32_t *owner;
	struct range *enter, *leave; /* sorted: the low, or high, of a hit, and
					in its high which hit it is */
	struct range *spare;
	uint32_t n, room;
	bool failed; /* memory is out */
	struct arena *arena;

	/* The sweep. */
	const uint64_t *weight; /* of a buffer: what removing it costs */
	uint32_t *depth;	/* of an owner: hits at the base at hand */
	uint32_t entered, left; /* hits passed so far, by low and by high */
	uint64_t cost;		/* weight of the owners of the hits at hand */
	uint32_t n_never; /* owners among them that are not to be removed */
};

/* Both must outlive the hits; the sum of any weights but HITS_NEVER fits 64
 * bits. False only if memory is out, as below. */
bool mp_planner_hits_init(struct hits *hits, const struct conflicts *conflicts,
	const uint64_t *weight, struct arena *arena);

/* Finds the placed buffers that overlap one, and at which bases. The sweep
 * begins below all bases. */
bool mp_planner_hits_find(struct hits *hits, uint32_t buffer);

/* Sweeps up to a base, which is at least the one before: cost and n_never are
 * then what is in the way of a buffer there. */
void mp_planner_hits_sweep(struct hits *hits, uint64_t base);

/* Is the hit in the way at that base? */
static inline bool mp_planner_hits_at(
	const struct hits *hits, uint32_t hit, uint64_t base)
{
	return hits->low[hit] <= base && base < hits->high[hit];
}

#endif
