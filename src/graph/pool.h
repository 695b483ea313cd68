/*
 * Pools: the memories that a plan may use, as the input lists them. Shared by
 * graph and problem.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_POOL_H
#define MP_GRAPH_POOL_H

#include <stdint.h>

#include "base/num.h"

#define NO_CAPACITY UINT64_MAX

enum {
	MOST_POOLS = 64
};

struct memory_pool {
	const char *name;
	uint64_t capacity;  /* bytes, a multiple of the alignment, not 0; or
			       NO_CAPACITY */
	uint64_t alignment; /* of sizes and offsets there: a power of two, at
			       least that of the graph */
	uint64_t chunk;	    /* greatest size of a block, a multiple of the
			       alignment; 0: the pool is one block */
};

/* The bytes that one block of a pool may take. */
static inline uint64_t mp_graph_pool_room(const struct memory_pool *pool)
{
	return pool->chunk ? num_min(pool->chunk, pool->capacity)
			   : pool->capacity;
}

/* The pools that may hold a tensor, each once, the preferred one first. */
struct pool_list {
	const uint32_t *at;
	uint32_t n;
};

/* The results that a plan file states for a pool. */
struct pool_claim {
	uint64_t arena_size, theoretical_min, lower_bound;
};

#endif
