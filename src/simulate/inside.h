/*
 * The inside of the simulators: what the simulated allocators have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_SIMULATE_INSIDE_H
#define MP_SIMULATE_INSIDE_H

#include "simulate/simulate.h"

/* ------------------------------------------------------- free lists */

/*
 * Free blocks in order of size: a best fit in logarithmic time. A binary search
 * tree in which the blocks are also a heap by a hash of their index (a treap;
 * Seidel and Aragon, Randomized Search Trees, 1996), so that the same blocks
 * make the same tree on any machine.
 */
struct block {
	uint64_t size;
	uint64_t rank;		/* orders blocks of one size: an address, or an
				   age; no two of one size have the same */
	uint32_t less, greater; /* subtrees, while it is on a free list */
	uint32_t prev, next;	/* neighbours by address; see the pools */
	uint32_t region;	/* that it is a piece of; see the pools */
	uint32_t users;		/* 0: free; see the pools */
	uint8_t list;		/* of its pool, that it is or would be on */
};

struct free_list {
	struct block *blocks;
	uint32_t root; /* NONE: empty */
};

void mp_simulate_free_blocks_put(struct free_list *list, uint32_t block);
void mp_simulate_free_blocks_remove(struct free_list *list, uint32_t block);

/* The least block, by size and rank, that has this size or more; or NONE. */
uint32_t mp_simulate_free_blocks_fit(
	const struct free_list *list, uint64_t size);

/* The greatest block, and the one before it; or NONE. */
uint32_t mp_simulate_free_blocks_last(
	const struct free_list *list, uint32_t *second);

/* ------------------------------------------------------- allocators */

struct pool {
	struct block *blocks;
	uint32_t n_blocks, room;
	uint32_t spare; /* a list of unused blocks by next; or NONE */
	struct free_list lists[2]; /* see the pools */
	uint64_t *high;	    /* bfc: of a region: end of what was handed out */
	uint64_t top;	    /* bfc: address of the next region */
	uint64_t next_size; /* bfc: of the next region; 0: it is the first */
	uint64_t pages;	    /* vmm: unused physical pages */
	uint64_t age;	    /* pool64: blocks put on the free list so far */
	int variant;
	uint64_t in_use; /* now: bytes of the blocks handed out */
	struct simulation *result;
};

/* How an allocator serves requests. in_use is counted for it. */
struct allocator {
	uint32_t blocks; /* most that a request in use needs */
	/* A block; NONE: the pool would pass NUM_MAX_BYTES. */
	uint32_t (*take)(struct pool *pool, uint64_t bytes, bool persistent);
	void (*give)(struct pool *pool, uint32_t block);
	/* Bytes that it holds in one piece; NULL: it holds none. */
	uint64_t (*largest_free)(const struct pool *pool);
};

/* Room for an allocator to serve that many requests. */
bool mp_simulate_allocator_open(struct pool *pool,
	const struct allocator *allocator, uint32_t n_requests,
	struct arena *arena);

/* A block without neighbours, and back. */
uint32_t mp_simulate_allocator_block(struct pool *pool);
void mp_simulate_allocator_drop(struct pool *pool, uint32_t block);

/* Cuts a block behind size bytes; returns the rest, which is on no free list.
 */
uint32_t mp_simulate_allocator_split(
	struct pool *pool, uint32_t head, uint64_t size);

/* The best fit of a free list, taken off it; or NONE. */
uint32_t mp_simulate_allocator_fit(
	struct pool *pool, uint32_t list, uint64_t size);

/* Puts a free block on its free list, together with what of that free list is
 * next to it. */
void mp_simulate_allocator_settle(struct pool *pool, uint32_t block);

/* Takes back a block that is in use: the give() of a simulator. */
void mp_simulate_allocator_give(struct pool *pool, uint32_t block);

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
