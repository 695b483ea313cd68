/*
 * Fuzz target of the loader: a table as it is, and with its checksum mended. No
 * tensor of an open table lies outside its pool, and no name outside the bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "memplan/loader.h"

static void put8(uint8_t *bytes, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get8(const uint8_t *bytes)
{
	uint64_t value = 0;

	for (int i = 7; i >= 0; i--)
		value = value << 8 | bytes[i];
	return value;
}

/* Puts the checksum of docs/table-format.md in its place. */
static void mend(uint8_t *bytes, size_t size)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325), total;

	if (size < 96)
		return;
	total = get8(bytes + 16);
	if (total > size)
		return;
	put8(bytes + 24, 0);
	for (uint64_t i = 0; i + 8 <= total; i += 8) {
		sum = (sum ^ get8(bytes + i)) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 32;
	}
	put8(bytes + 24, sum);
}

static void expect_entry(const struct memplan_table *table, uint32_t i)
{
	struct memplan_entry entry;
	struct memplan_pool pool = {0};
	uint32_t found;
	enum memplan_table_status status;

	mp_testing_fuzz_expect(
		memplan_table_entry(table, i, &entry) == MEMPLAN_TABLE_OK &&
			memplan_table_pool(table, entry.pool, &pool) ==
				MEMPLAN_TABLE_OK,
		"entry %u", i);
	mp_testing_fuzz_expect(entry.size <= pool.size &&
				       entry.offset <= pool.size - entry.size,
		"tensor %u lies outside its pool", i);
	status =
		memplan_table_find(table, memplan_table_name(table, i), &found);
	mp_testing_fuzz_expect(
		status == MEMPLAN_TABLE_AMBIGUOUS ||
			(status == MEMPLAN_TABLE_OK && found == i),
		"tensor %u is not found by its name", i);
}

static void open_table(const uint8_t *bytes, size_t size)
{
	struct memplan_table table;
	struct memplan_entry entry;

	if (memplan_table_open(&table, bytes, size) != MEMPLAN_TABLE_OK) {
		mp_testing_fuzz_expect(memplan_table_count(&table) == 0 &&
					       memplan_table_pools(&table) == 0,
			"a table that is not open has tensors");
		return;
	}
	for (uint32_t i = 0; i < memplan_table_count(&table); i++)
		expect_entry(&table, i);
	mp_testing_fuzz_expect(
		memplan_table_entry(&table, memplan_table_count(&table),
			&entry) == MEMPLAN_TABLE_RANGE,
		"a tensor beyond the last");
	(void)strlen(memplan_table_title(&table));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	mp_testing_fuzz_expect(copy, "no memory");
	open_table(data, size);
	if (size > 0)
		memcpy(copy, data, size);
	mend(copy, size);
	open_table(copy, size);
	free(copy);
	return 0;
}
