/*
 * The inside of the simulators: what the simulated allocators have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_SIMULATE_INSIDE_H
#define MP_SIMULATE_INSIDE_H

#include "base/blocks.h"
#include "simulate/simulate.h"

/* ------------------------------------------------------- allocators */

struct pool {
	struct blocks blocks; /* their region, users and list: see the pools */
	uint64_t *high;	      /* bfc: of a region: end of what was handed out */
	uint64_t top;	      /* bfc: address of the next region */
	uint64_t next_size;   /* bfc: of the next region; 0: it is the first */
	uint64_t pages;	      /* vmm: unused physical pages */
	uint64_t age;	      /* pool64: blocks put on the free list so far */
	int variant;
	const struct pool_settings *settings;
	uint64_t in_use; /* now: bytes of the blocks handed out */
	struct simulation *result;
};

/* How an allocator serves requests. in_use is counted for it. */
struct allocator {
	uint32_t blocks; /* most that a request in use needs */
	/* A block; NONE: the pool would pass NUM_MAX_BYTES, or what its
	 * settings allow: then the result says what it refused. */
	uint32_t (*take)(struct pool *pool, uint64_t bytes, bool persistent);
	void (*give)(struct pool *pool, uint32_t block);
	/* Bytes that it holds in one piece; NULL: it holds none. */
	uint64_t (*largest_free)(const struct pool *pool);
};

/* The give() of what cuts and merges ranges. */
void mp_simulate_give(struct pool *pool, uint32_t block);

extern const struct allocator mp_simulate_os;
extern const struct allocator
	mp_simulate_best_fit; /* variants: enum chunk_variant */
extern const struct allocator mp_pool64;
extern const struct allocator mp_vmm;

enum chunk_variant {
	BFC,
	BFC_ONE,
	MINDSPORE,
	MINDSPORE_ONE,
};

#endif
