/*
 * The list of blocks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "live-blocks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEPT = 64, /* released blocks */
	DEAD = 0xdd,
};

struct block {
	char *at;
	void *memory;
	size_t size;
	int device, is_ready;
};

static struct block *blocks;
static size_t n, room;
static void *kept[KEPT]; /* a ring */
static size_t n_kept;

void *take_block(
	int device, size_t size, size_t align, size_t skew, int is_ready)
{
	size_t total = (size + skew + 2 * align - 1) & -align;
	struct block *list;
	char *memory;

	if (n == room) {
		list = realloc(blocks, (2 * room + 16) * sizeof(*list));
		if (!list)
			return NULL;
		blocks = list;
		room = 2 * room + 16;
	}
	memory = total < size ? NULL : aligned_alloc(align, total);
	if (!memory)
		return NULL;
	blocks[n++] =
		(struct block){memory + skew, memory, size, device, is_ready};
	return memory + skew;
}

static struct block *block_at(const void *at)
{
	for (size_t i = n; i-- > 0;)
		if (blocks[i].at == at)
			return &blocks[i];
	return NULL;
}

int make_ready(const void *at)
{
	struct block *block = block_at(at);

	if (block)
		block->is_ready = 1;
	return block != NULL;
}

static void give(struct block *block)
{
	size_t slot = n_kept++ % KEPT;

	memset(block->at, DEAD, block->size);
	free(kept[slot]);
	kept[slot] = block->memory;
	*block = blocks[--n];
}

int give_block(const void *at)
{
	struct block *block = block_at(at);

	if (block)
		give(block);
	return block != NULL;
}

void give_blocks(int device)
{
	for (size_t i = n; i-- > 0;)
		if (blocks[i].device == device)
			give(&blocks[i]);
}

int has_blocks(int device)
{
	for (size_t i = 0; i < n; i++)
		if (blocks[i].device == device)
			return 1;
	return 0;
}

int is_usable(const void *at, size_t size, int device)
{
	uintptr_t low = (uintptr_t)at, base;

	for (size_t i = n; i-- > 0;) {
		base = (uintptr_t)blocks[i].at;
		if (blocks[i].device == device && low >= base &&
			low - base <= blocks[i].size &&
			size <= blocks[i].size - (low - base))
			return blocks[i].is_ready;
	}
	return 0;
}
