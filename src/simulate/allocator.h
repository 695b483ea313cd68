/*
 * What the simulated allocators have in common: their blocks, and the figures
 * that they keep.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_SIMULATE_ALLOCATOR_H
#define MP_SIMULATE_ALLOCATOR_H

#include "simulate/free-blocks.h"
#include "simulate/simulate.h"

struct region {
	uint64_t base, size;
	uint64_t high; /* greatest address that was ever handed out */
};

struct pool {
	struct block *blocks;
	uint32_t n_blocks, room;
	uint32_t spare;		 /* a list of unused blocks by next; or NONE */
	struct shelf shelves[2]; /* see the pools */
	struct region *regions;
	uint64_t top;	    /* address of the next region */
	uint64_t next_size; /* bfc: of the next region */
	uint64_t pages;	    /* vmm: unused physical pages */
	uint64_t age;	    /* pool64: blocks put on the shelf so far */
	int variant;
	uint64_t in_use; /* now */
	struct simulation *result;
};

/* Room for that many blocks at once, and for regions if asked. */
bool mp_simulate_allocator_open(struct pool *pool, uint32_t n_blocks,
	uint32_t n_regions, struct arena *arena);

/* A block without neighbours, and back. */
uint32_t mp_simulate_allocator_block(struct pool *pool);
void mp_simulate_allocator_drop(struct pool *pool, uint32_t block);

/* Cuts a block behind size bytes; returns the rest, which is on no shelf. */
uint32_t mp_simulate_allocator_split(
	struct pool *pool, uint32_t head, uint64_t size);

/* Puts a free block on its shelf, together with what of that shelf is next to
 * it. */
void mp_simulate_allocator_settle(struct pool *pool, uint32_t block);

/* What every allocator does when it hands out bytes: its own count of them, and
 * whether that is the most so far. */
bool mp_simulate_allocator_count(struct pool *pool, uint64_t bytes);

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
