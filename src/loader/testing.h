/*
 * Helpers of the loader's tests: tables that are damaged on purpose.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_TESTING_H
#define MP_LOADER_TESTING_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memplan/loader.h"

/* Asks an open table for everything; true if all answers make sense. */
static inline bool ask_everything(const struct memplan_table *table)
{
	struct memplan_pool pool;
	struct memplan_entry entry;
	uint64_t sum = strlen(memplan_table_title(table));
	uint32_t found;

	for (uint32_t i = 0; i < memplan_table_count(table); i++) {
		if (memplan_table_entry(table, i, &entry) ||
			memplan_table_pool(table, entry.pool, &pool) ||
			entry.offset + entry.size > pool.size)
			return false;
		if (memplan_table_find(table, memplan_table_name(table, i),
			    &found) == MEMPLAN_TABLE_UNKNOWN)
			return false;
		sum += strlen(memplan_table_name(table, i));
	}
	return sum < UINT64_MAX;
}

/* Of a copy at the end of its own memory, so that a sanitizer sees any read
 * beyond; after it the table may not be asked. */
static inline enum memplan_table_status open_copy(
	struct memplan_table *table, const void *bytes, size_t length)
{
	unsigned char *copy = malloc(length ? length : 1);
	enum memplan_table_status status;

	memcpy(copy, bytes, length);
	status = memplan_table_open(table, copy, length);
	cr_assert(ask_everything(table));
	free(copy);
	return status;
}

static inline uint64_t word_at(const unsigned char *bytes)
{
	uint64_t word = 0;

	for (uint32_t i = 8; i-- > 0;)
		word = word << 8 | bytes[i];
	return word;
}

/* Gives a table that was damaged on purpose the checksum of its bytes. */
static inline void reseal(unsigned char *bytes, size_t length)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	memset(bytes + 24, 0, 8);
	for (size_t i = 0; i < length; i += 8) {
		sum = (sum ^ word_at(bytes + i)) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 32;
	}
	for (uint32_t i = 0; i < 8; i++)
		bytes[24 + i] = (unsigned char)(sum >> (8 * i));
}

#endif
