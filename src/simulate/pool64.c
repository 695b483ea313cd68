/*
 * pool64: the pool of HeuristicAllocator. Sizes are rounded to 64; free blocks
 * are kept by size, the last one freed first; the least size that is large
 * enough serves, and what it has too much becomes its second half. Halves that
 * are both unused become one again. Nothing else merges, and a half that is
 * freed while the other is in use is lost until the other one is free too: that
 * is how the pool is published, and what it costs shows here. It grows by the
 * request.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/inside.h"

enum {
	ROUND = 64
};

/* Here prev is the block that this one is a half of, next its first half;
 * region is the twin of a half; users counts the halves in use; list is
 * LISTED or UNLISTED. */
enum {
	LISTED,
	UNLISTED
};

static void put(struct pool *pool, uint32_t block)
{
	pool->blocks.at[block].rank = UINT64_MAX - pool->age++;
	pool->blocks.at[block].list = LISTED;
	mp_blocks_put(&pool->blocks, block);
}

static void remove_block(struct pool *pool, uint32_t block)
{
	mp_blocks_remove(&pool->blocks, block);
	pool->blocks.at[block].list = UNLISTED;
}

static uint32_t half(struct pool *pool, uint32_t whole, uint64_t size)
{
	uint32_t block = mp_blocks_new(&pool->blocks);

	pool->blocks.at[block].size = size;
	pool->blocks.at[block].prev = whole;
	pool->blocks.at[block].list = UNLISTED;
	return block;
}

static uint32_t split(struct pool *pool, uint32_t whole, uint64_t size)
{
	uint32_t head = half(pool, whole, size);
	uint32_t tail = half(pool, whole, pool->blocks.at[whole].size - size);

	pool->blocks.at[head].region = tail;
	pool->blocks.at[tail].region = head;
	pool->blocks.at[whole].next = head;
	pool->blocks.at[whole].users = 1;
	put(pool, tail);
	return head;
}

static uint32_t grow(struct pool *pool, uint64_t size)
{
	uint32_t block;

	if (size > NUM_MAX_BYTES - pool->result->reserved)
		return NONE;
	block = mp_blocks_new(&pool->blocks);
	pool->blocks.at[block].size = size;
	pool->blocks.at[block].list = UNLISTED;
	pool->result->reserved += size;
	pool->result->high_water = pool->result->reserved;
	pool->result->regions++;
	return block;
}

static uint32_t take_block(struct pool *pool, uint64_t bytes, bool persistent)
{
	uint64_t size = num_up(bytes, ROUND);
	uint32_t block = mp_blocks_fit(&pool->blocks, 0, size);
	uint32_t whole;

	(void)persistent;
	if (block == NONE)
		return grow(pool, size);
	remove_block(pool, block);
	whole = pool->blocks.at[block].prev;
	if (whole != NONE)
		pool->blocks.at[whole].users++;
	if (pool->blocks.at[block].size > size)
		block = split(pool, block, size);
	return block;
}

static uint64_t largest_free(const struct pool *pool)
{
	uint32_t second;
	uint32_t last = mp_blocks_last(&pool->blocks, 0, &second);

	return last == NONE ? 0 : pool->blocks.at[last].size;
}

static void drop_half(struct pool *pool, uint32_t block)
{
	if (pool->blocks.at[block].list == LISTED)
		remove_block(pool, block);
	mp_blocks_drop(&pool->blocks, block);
}

static void give_block(struct pool *pool, uint32_t block)
{
	uint32_t whole = pool->blocks.at[block].prev, head;

	if (whole == NONE)
		put(pool, block);
	while (whole != NONE && --pool->blocks.at[whole].users == 0) {
		head = pool->blocks.at[whole].next;
		drop_half(pool, pool->blocks.at[head].region);
		drop_half(pool, head);
		put(pool, whole);
		whole = pool->blocks.at[whole].prev;
	}
}

const struct allocator mp_pool64 = {2, take_block, give_block, largest_free};
