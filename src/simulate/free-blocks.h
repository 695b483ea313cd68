/*
 * Free blocks in order of size: a best fit in logarithmic time. A binary search
 * tree whose blocks are also a heap by a hash of their index (a treap; Seidel
 * and Aragon, Randomized Search Trees, 1996), so that the same blocks make the
 * same tree on any machine.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_SIMULATE_FREE_BLOCKS_H
#define MP_SIMULATE_FREE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/num.h"

struct block {
	uint64_t size;
	uint64_t rank;		/* orders blocks of one size: an address, or an
				   age; no two of one size have the same */
	uint32_t less, greater; /* subtrees, while it is on a shelf */
	uint32_t prev, next;	/* neighbours by address; see the pools */
	uint32_t region;	/* that it is a piece of; see the pools */
	uint32_t users;		/* 0: free; see the pools */
	uint8_t shelf;		/* of its pool, that it is or would be on */
};

struct shelf {
	struct block *blocks;
	uint32_t root; /* NONE: empty */
};

void mp_simulate_free_blocks_put(struct shelf *shelf, uint32_t block);
void mp_simulate_free_blocks_remove(struct shelf *shelf, uint32_t block);

/* The least block, by size and rank, that has this size or more; or NONE. */
uint32_t mp_simulate_free_blocks_fit(const struct shelf *shelf, uint64_t size);

/* The greatest block, and the one before it; or NONE. */
uint32_t mp_simulate_free_blocks_last(
	const struct shelf *shelf, uint32_t *second);

#endif
