/*
 * mindspore-vmm: MindSpore's pool where the driver can map memory. Addresses
 * are plentiful; what is counted are physical pages. When no idle block is
 * large enough, the whole pages inside all idle blocks are unmapped (the "eager
 * free" of its sources), and a fresh range is mapped, from unmapped pages
 * first, from new ones where these do not suffice.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/inside.h"

enum {
	ROUND = 512,
	PAGE = 2 << 20,
};

/* Free lists: free blocks with pages behind them, and ranges without. */
enum {
	IDLE,
	UNMAPPED
};

static void reserve_addresses(struct pool *pool)
{
	uint32_t space = mp_blocks_new(&pool->blocks);

	pool->blocks.at[space].size = NUM_MAX_BYTES;
	pool->blocks.at[space].list = UNMAPPED;
	mp_blocks_settle(&pool->blocks, space);
}

/* ------------------------------------------------------------ pages */

/* Unmaps the whole pages inside a block that is on no free list; what is left
 * of it goes back to one. False if there is no whole page. */
static bool unmap(struct pool *pool, uint32_t block)
{
	uint64_t start = pool->blocks.at[block].rank;
	uint64_t first = num_up(start, PAGE);
	uint64_t last =
		(start + pool->blocks.at[block].size) & ~(uint64_t)(PAGE - 1);
	uint32_t edge;

	if (first >= last)
		return false;
	if (first > start) {
		edge = block;
		block = mp_blocks_split(&pool->blocks, edge, first - start);
		pool->blocks.at[block].list = UNMAPPED;
		mp_blocks_settle(&pool->blocks, edge);
	}
	if (pool->blocks.at[block].size > last - first) {
		edge = mp_blocks_split(&pool->blocks, block, last - first);
		pool->blocks.at[edge].list = IDLE;
		pool->blocks.at[block].list = UNMAPPED;
		mp_blocks_settle(&pool->blocks, edge);
	}
	pool->blocks.at[block].list = UNMAPPED;
	pool->pages += (last - first) / PAGE;
	mp_blocks_settle(&pool->blocks, block);
	return true;
}

/* From the largest idle block down. What has no whole page waits in a list. */
static void unmap_all(struct pool *pool)
{
	uint32_t waiting = NONE, second, block;

	while ((block = mp_blocks_last(&pool->blocks, IDLE, &second)) != NONE &&
		pool->blocks.at[block].size >= PAGE) {
		mp_blocks_remove(&pool->blocks, block);
		if (unmap(pool, block))
			continue;
		pool->blocks.at[block].region = waiting;
		waiting = block;
	}
	for (; waiting != NONE; waiting = pool->blocks.at[waiting].region)
		mp_blocks_put(&pool->blocks, waiting);
}

/* A mapped block that is large enough, on no free list. */
static uint32_t map(struct pool *pool, uint64_t size)
{
	uint64_t pages = (size + PAGE - 1) / PAGE, fresh;
	uint32_t block = mp_blocks_take(&pool->blocks, UNMAPPED, pages * PAGE);

	if (block == NONE)
		return NONE;
	if (pool->blocks.at[block].size > pages * PAGE)
		mp_blocks_settle(&pool->blocks,
			mp_blocks_split(&pool->blocks, block, pages * PAGE));
	pool->blocks.at[block].list = IDLE;
	fresh = pages > pool->pages ? pages - pool->pages : 0;
	pool->pages -= pages - fresh;
	pool->result->reserved += fresh * PAGE;
	pool->result->high_water = pool->result->reserved;
	pool->result->regions += fresh > 0;
	return block;
}

/* --------------------------------------------------------- requests */

static uint64_t largest_free(const struct pool *pool)
{
	uint64_t unused = pool->pages * PAGE;
	uint32_t second;
	uint32_t last = mp_blocks_last(&pool->blocks, IDLE, &second);

	return last == NONE ? unused
			    : num_max(unused, pool->blocks.at[last].size);
}

static uint32_t take_vmm(struct pool *pool, uint64_t bytes, bool persistent)
{
	uint64_t size = num_up(num_max(bytes, 1), ROUND);
	uint32_t block;

	(void)persistent;
	if (pool->blocks.n == 0)
		reserve_addresses(pool);
	block = mp_blocks_take(&pool->blocks, IDLE, size);
	if (block == NONE) {
		unmap_all(pool);
		block = map(pool, size);
	}
	if (block == NONE)
		return NONE;
	if (pool->blocks.at[block].size - size >= ROUND)
		mp_blocks_settle(&pool->blocks,
			mp_blocks_split(&pool->blocks, block, size));
	return block;
}

/* A block in use has at most four free ones behind it: an idle rest, an edge,
 * an unmapped range, and the edge before the next. */
const struct allocator mp_vmm = {5, take_vmm, mp_simulate_give, largest_free};
