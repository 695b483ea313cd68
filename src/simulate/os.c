/*
 * os: what the process would hold if every request went to an operating system
 * that wastes nothing: the bytes alive.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/inside.h"

static uint32_t take_live(struct pool *pool, uint64_t bytes, bool persistent)
{
	uint32_t block = mp_blocks_new(&pool->blocks);
	struct simulation *result = pool->result;

	(void)persistent;
	pool->blocks.at[block].size = bytes;
	result->reserved = num_max(result->reserved, pool->in_use + bytes);
	result->high_water = result->reserved;
	result->regions++;
	return block;
}

static void give_live(struct pool *pool, uint32_t block)
{
	mp_blocks_drop(&pool->blocks, block);
}

const struct allocator mp_simulate_os = {1, take_live, give_live, NULL};
