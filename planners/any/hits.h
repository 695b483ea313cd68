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

enum {
	HITS_BUCKET_BITS = 8 /* of the most buckets */
};

/* The last base, if any may be asked for. */
#define HITS_ANY (UINT64_MAX >> 1)

/* At bases [low, high) the buffer asked for overlaps a placed one, the owner.
 */
struct hits {
	const struct conflicts *conflicts;
	uint64_t *low, *high; /* of all hits, aligned for the buffer */
	uint32_t *owner;
	uint32_t n, room;
	bool are_single; /* no owner has several hits */
	bool failed;	 /* memory is out */
	struct arena *arena;

	/* Buckets, by the first bits of bases. Their lows are the lows above 0,
	 * or the highs, of hits, up to the last base; their highs are tags: the
	 * weight of the owner, or the owner if it may have several hits. */
	struct range *enter, *leave, *spare;
	uint32_t n_enter, n_leave;
	uint32_t first_enter[(1 << HITS_BUCKET_BITS) + 1];
	uint32_t first_leave[(1 << HITS_BUCKET_BITS) + 1];
	uint32_t n_buckets, shift;
	uint64_t most; /* the last base */

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

/* Finds the placed buffers that overlap one at bases up to the last one, and
 * puts them into buckets. The sweep begins at base 0. Weights are to stay as
 * they are until it ends. */
bool mp_planner_hits_find(struct hits *hits, uint32_t buffer, uint64_t most);

/* Sorts a bucket: then the sweep may enter it. */
void mp_planner_hits_sort(struct hits *hits, uint32_t bucket);

/* No base in the next bucket costs less. */
uint64_t mp_planner_hits_least(const struct hits *hits, uint32_t bucket);

/* Sweeps over the next bucket, which need not be sorted. */
void mp_planner_hits_pass(struct hits *hits, uint32_t bucket);

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
