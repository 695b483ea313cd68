/*
 * Blocks of the caller, and the tables of a generated header.
 *
 * SPDX-License-Identifier: MIT
 */
#include "records.h"

enum memplan_table_status memplan_block_check(
	const struct memplan_pool *pool, const void *block, uint64_t size)
{
	if (pool->size == 0)
		return MEMPLAN_TABLE_OK;
	if (!block || size < pool->size ||
		((uintptr_t)block & (pool->align - 1)) != 0)
		return MEMPLAN_TABLE_BLOCK;
	return MEMPLAN_TABLE_OK;
}

enum memplan_table_status memplan_block_align(const struct memplan_pool *pool,
	void *memory, uint64_t size, void **block)
{
	uint64_t above = (uintptr_t)memory & (pool->align - 1);
	uint64_t skip = above ? pool->align - above : 0;

	*block = memory;
	if (pool->size == 0)
		return MEMPLAN_TABLE_OK;
	if (!memory || skip > size || size - skip < pool->size)
		return MEMPLAN_TABLE_BLOCK;
	*block = (unsigned char *)memory + (size_t)skip;
	return MEMPLAN_TABLE_OK;
}

static int lies_within(
	const struct memplan_entry *entry, const struct memplan_pool *pool)
{
	return entry->start <= entry->end && entry->size <= pool->size &&
	       entry->offset <= pool->size - entry->size;
}

enum memplan_table_status memplan_entries_check(
	const struct memplan_entry *entries, uint32_t n,
	const struct memplan_pool *pools, uint32_t n_pools)
{
	for (uint32_t i = 0; i < n_pools; i++)
		if (!is_power_of_two(pools[i].align))
			return MEMPLAN_TABLE_POOLS;
	for (uint32_t i = 0; i < n; i++)
		if (entries[i].pool >= n_pools ||
			!lies_within(&entries[i], &pools[entries[i].pool]))
			return MEMPLAN_TABLE_ENTRIES;
	return MEMPLAN_TABLE_OK;
}
