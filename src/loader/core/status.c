/*
 * A sentence for each status.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memplan/loader.h"

const char *memplan_table_text(enum memplan_table_status status)
{
	static const char *const texts[] = {
		[MEMPLAN_TABLE_OK] = "no error",
		[MEMPLAN_TABLE_SHORT] = "the table is cut short",
		[MEMPLAN_TABLE_MAGIC] = "this is no memplan table",
		[MEMPLAN_TABLE_VERSION] = "the table has an unknown version",
		[MEMPLAN_TABLE_CHECKSUM] = "the table is damaged",
		[MEMPLAN_TABLE_LAYOUT] = "a section lies outside the table",
		[MEMPLAN_TABLE_POOLS] = "a pool has a bad alignment",
		[MEMPLAN_TABLE_ENTRIES] = "a tensor lies outside its pool",
		[MEMPLAN_TABLE_NAMES] = "the names are unsorted or have no end",
		[MEMPLAN_TABLE_RANGE] = "there is no such index",
		[MEMPLAN_TABLE_UNKNOWN] = "no tensor has that name",
		[MEMPLAN_TABLE_AMBIGUOUS] = "several tensors have that name",
		[MEMPLAN_TABLE_BLOCK] = "the block is too small or unaligned",
	};

	if ((uint32_t)status >= sizeof(texts) / sizeof(texts[0]))
		return "unknown status";
	return texts[status];
}
