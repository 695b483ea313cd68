/*
 * Gaps between buffers that lie in a block: who is near in time is found by
 * buckets of steps.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_POOLS_GAP_H
#define MP_POOLS_GAP_H

#include "pools/pools.h"

enum {
	GAP_BUCKETS = 1024,
};

struct gap_entry {
	struct gap_entry *next;
	uint32_t member;
};

struct gaps {
	const struct filling *f;
	struct gap_entry **first; /* of a bucket */
	uint32_t *seen;		  /* stamp of the last search, one a member */
	uint32_t stamp, n_steps, n_buckets;
	struct arena *arena;
};

/* With those who stay, at their offsets. */
bool mp_pools_gaps_init(
	struct gaps *gaps, const struct filling *f, struct arena *scratch);

/* One more that stays. */
bool mp_pools_gaps_add(struct gaps *gaps, uint32_t member);

/* The lowest offset within the capacity at which a member is clear of all of
 * them; or NO_OFFSET. Takes note of the work. */
bool mp_pools_gaps_find(struct gaps *gaps, uint32_t member, uint64_t *offset);

#endif
