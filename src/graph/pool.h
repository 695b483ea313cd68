/*
 * Pools: the memories that a plan may use, as the input lists them. Shared by
 * graph and problem.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_POOL_H
#define MP_GRAPH_POOL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/num.h"

#define NO_CAPACITY UINT64_MAX

enum {
	MOST_POOLS = 64
};

/* Bytes of a memory. */
struct extent {
	uint64_t base, size; /* both 0: none */
};

/* Banks take turns: bytes [0, size) are of bank 0, the next of bank 1, and
 * those behind the last bank of bank 0 again. */
struct banks {
	uint64_t size;	/* bytes, at least 1 */
	uint32_t count; /* 0: the memory has none that count */
};

struct memory_pool {
	const char *name;
	uint64_t capacity;  /* bytes, a multiple of the alignment, not 0; or
			       NO_CAPACITY */
	uint64_t alignment; /* of sizes and offsets there: a power of two, at
			       least that of the graph */
	uint64_t chunk;	    /* greatest size of a block, a multiple of the
			       alignment; 0: the pool is one block */
	struct banks banks; /* of each block, from its base on */
};

/* The bytes that one block of a pool may take. */
static inline uint64_t mp_graph_pool_room(const struct memory_pool *pool)
{
	return pool->chunk ? num_min(pool->chunk, pool->capacity)
			   : pool->capacity;
}

/* True if some of the pools has banks that count. */
static inline bool mp_graph_has_banks(
	const struct memory_pool *pools, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (pools[i].banks.count > 0)
			return true;
	return false;
}

/* The pools that may hold a tensor, each once, the preferred one first. */
struct pool_list {
	const uint32_t *at;
	uint32_t n;
};

static inline bool mp_graph_pool_lists_equal(
	const struct pool_list *a, const struct pool_list *b)
{
	return a->n == b->n && memcmp(a->at, b->at, a->n * sizeof(*a->at)) == 0;
}

/* The results that a plan file states for a pool. */
struct pool_claim {
	uint64_t arena_size, theoretical_min, lower_bound;
};

#endif
