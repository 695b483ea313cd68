/*
 * What an open table says: counts, pools, tensors and their names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "records.h"

uint32_t memplan_table_count(const struct memplan_table *table)
{
	return table->n_entries;
}

uint32_t memplan_table_pools(const struct memplan_table *table)
{
	return table->n_pools;
}

uint32_t memplan_table_steps(const struct memplan_table *table)
{
	return table->n_steps;
}

enum memplan_table_status memplan_table_pool(const struct memplan_table *table,
	uint32_t i, struct memplan_pool *pool)
{
	if (i >= table->n_pools)
		return MEMPLAN_TABLE_RANGE;
	pool->size = get8(pool_at(table, i));
	pool->align = get8(pool_at(table, i) + 8);
	return MEMPLAN_TABLE_OK;
}

enum memplan_table_status memplan_table_entry(const struct memplan_table *table,
	uint32_t i, struct memplan_entry *entry)
{
	const unsigned char *at;

	if (i >= table->n_entries)
		return MEMPLAN_TABLE_RANGE;
	at = entry_at(table, i);
	entry->offset = get8(at);
	entry->size = get8(at + 8);
	entry->start = get4(at + 16);
	entry->end = get4(at + 20);
	entry->pool = get2(at + 28);
	entry->kind = get2(at + 30);
	return MEMPLAN_TABLE_OK;
}

const char *memplan_table_name(const struct memplan_table *table, uint32_t i)
{
	return i < table->n_entries ? name_at(table, i) : "";
}

const char *memplan_table_title(const struct memplan_table *table)
{
	return table->names_size ? (const char *)table->names : "";
}

enum memplan_table_status memplan_table_find(
	const struct memplan_table *table, const char *name, uint32_t *i)
{
	uint32_t low = 0, high = table->n_entries, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (compare_names(name_at(table, nth(table, middle)), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == table->n_entries ||
		compare_names(name_at(table, nth(table, low)), name) != 0)
		return MEMPLAN_TABLE_UNKNOWN;
	*i = nth(table, low);
	if (low + 1 < table->n_entries &&
		compare_names(name_at(table, nth(table, low + 1)), name) == 0)
		return MEMPLAN_TABLE_AMBIGUOUS;
	return MEMPLAN_TABLE_OK;
}
