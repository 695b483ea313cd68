/*
 * Blocks: an address range that is cut into pieces and merged again, and the
 * free pieces in order of size, so that a best fit takes logarithmic time.
 *
 * Blocks are known by index. A caller takes one off its list, splits what is
 * too much off it, and settles it once it is free again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_BLOCKS_H
#define MP_BASE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/num.h"

struct block {
	uint64_t size;
	uint64_t rank;		/* orders blocks of one size: an address, or an
				   age; no two of one size have the same */
	uint32_t less, greater; /* subtrees, while it is on a list */
	uint32_t prev, next;	/* neighbours by address; NONE: none */
	uint32_t region;	/* that it is a piece of: of the caller */
	uint32_t users;		/* 0: free */
	uint8_t list;		/* that it is or would be on */
};

struct blocks {
	struct block *at;
	uint32_t n, room;
	uint32_t spare;	  /* a list of unused blocks by next; or NONE */
	uint32_t root[2]; /* of the lists of free blocks; NONE: empty */
};

/* Room for so many blocks at a time; there are none yet. */
bool mp_blocks_init(struct blocks *blocks, uint32_t room, struct arena *arena);

/* Forgets all blocks. */
void mp_blocks_clear(struct blocks *blocks);

/* A block without bytes and without neighbours, and back. */
uint32_t mp_blocks_new(struct blocks *blocks);
void mp_blocks_drop(struct blocks *blocks, uint32_t block);

/* Puts a free block on the list that it names, or takes it off that. */
void mp_blocks_put(struct blocks *blocks, uint32_t block);
void mp_blocks_remove(struct blocks *blocks, uint32_t block);

/* The least block of a list, by size and rank, that has this size or more; or
 * NONE. */
uint32_t mp_blocks_fit(struct blocks *blocks, uint32_t list, uint64_t size);

/* The greatest block of a list, and the one before it; or NONE. */
uint32_t mp_blocks_last(
	const struct blocks *blocks, uint32_t list, uint32_t *second);

/* The best fit of a list, taken off it, with one user; or NONE. */
uint32_t mp_blocks_take(struct blocks *blocks, uint32_t list, uint64_t size);

/* Cuts a block behind size bytes; returns the rest, which is on no list. Ranks
 * are addresses. */
uint32_t mp_blocks_split(struct blocks *blocks, uint32_t head, uint64_t size);

/* Puts a free block on its list, together with what of that list is next to
 * it. */
void mp_blocks_settle(struct blocks *blocks, uint32_t block);

/* Settles a block that had one user. */
void mp_blocks_give(struct blocks *blocks, uint32_t block);

#endif
