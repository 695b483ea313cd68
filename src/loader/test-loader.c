/*
 * Tables of the emitter, read by the loader: as they are, and damaged in every
 * way that one byte can be. Damaged copies lie at the end of their own memory,
 * so that sanitizers see any read beyond.
 *
 * SPDX-License-Identifier: MIT
 */
#include "loader/testing.h"

#include "memplan/host.h"
#include "testing/sample-plan.h"

static struct sample s;
static struct memplan_table table;

static void expect_tensor(uint32_t i, uint32_t n_before)
{
	const struct tensor *tensor = &s.graph.tensors[i];
	struct memplan_entry entry;

	cr_assert_eq(memplan_table_entry(&table, i - n_before, &entry),
		MEMPLAN_TABLE_OK);
	cr_assert_eq(entry.offset, mp_plan_offset(&s.plan, i));
	cr_assert_eq(entry.size, tensor->size);
	cr_assert_eq(entry.start, s.schedule.stay[i].start);
	cr_assert_eq(entry.end, s.schedule.stay[i].end);
	cr_assert_eq(entry.kind, tensor->kind);
	cr_assert_str_eq(
		memplan_table_name(&table, i - n_before), tensor->name);
}

Test(loader, reads_what_the_emitter_wrote)
{
	struct memplan_pool pool;
	uint32_t found;

	mp_testing_sample_make(
		&s, mp_testing_sample_hostile, mp_testing_n_sample_hostile);
	s.graph.tensors[1].external = true;
	mp_testing_sample_emit(&s, "table");
	cr_assert_eq(memplan_table_open(&table, s.sink.bytes, s.sink.length),
		MEMPLAN_TABLE_OK);
	cr_assert_eq(memplan_table_count(&table), s.graph.n_tensors - 1);
	cr_assert_eq(memplan_table_steps(&table), s.schedule.problem.n_steps);
	cr_assert_eq(memplan_table_pools(&table), 1);
	cr_assert_str_eq(memplan_table_title(&table), "sample");
	cr_assert_eq(memplan_table_pool(&table, 0, &pool), MEMPLAN_TABLE_OK);
	cr_assert_eq(pool.size, s.plan.arena_size);
	cr_assert_eq(pool.align, 512);
	expect_tensor(0, 0);
	for (uint32_t i = 2; i < s.graph.n_tensors; i++)
		expect_tensor(i, 1);
	cr_assert_eq(
		memplan_table_find(&table, "MAX", &found), MEMPLAN_TABLE_OK);
	cr_assert_str_eq(memplan_table_name(&table, found), "MAX");
	cr_assert_eq(memplan_table_find(&table, "twice", &found),
		MEMPLAN_TABLE_AMBIGUOUS);
	cr_assert_eq(memplan_table_find(&table, "nobody", &found),
		MEMPLAN_TABLE_UNKNOWN);
	cr_assert_eq(memplan_table_entry(&table, s.graph.n_tensors, NULL),
		MEMPLAN_TABLE_RANGE);
	cr_assert_eq(memplan_table_pool(&table, 1, NULL), MEMPLAN_TABLE_RANGE);
	cr_assert_eq(memplan_table_open(&table, NULL, 0), MEMPLAN_TABLE_SHORT);
	mp_testing_sample_free(&s);
}

Test(loader, finds_every_name_in_a_long_table)
{
	uint32_t found;

	mp_testing_sample_chain(&s, 5000);
	mp_testing_sample_emit(&s, "table");
	cr_assert_eq(open_copy(&table, s.sink.bytes, s.sink.length),
		MEMPLAN_TABLE_OK);
	memplan_table_open(&table, s.sink.bytes, s.sink.length);
	for (uint32_t i = 0; i < 5000; i++) {
		cr_assert_eq(memplan_table_find(
				     &table, s.graph.tensors[i].name, &found),
			MEMPLAN_TABLE_OK);
		cr_assert_eq(found, i);
	}
	mp_testing_sample_free(&s);
}

Test(loader, notices_every_flipped_byte_and_truncation)
{
	unsigned char *bytes;

	mp_testing_sample_chain(&s, 5);
	mp_testing_sample_emit(&s, "table");
	bytes = (unsigned char *)s.sink.bytes;
	for (size_t length = 0; length < s.sink.length; length++)
		cr_assert_neq(
			open_copy(&table, bytes, length), MEMPLAN_TABLE_OK);
	for (size_t i = 0; i < s.sink.length; i++)
		for (unsigned int flip = 1; flip < 256; flip++) {
			bytes[i] ^= (unsigned char)flip;
			cr_assert_neq(open_copy(&table, bytes, s.sink.length),
				MEMPLAN_TABLE_OK);
			bytes[i] ^= (unsigned char)flip;
		}
	cr_assert_eq(open_copy(&table, bytes, s.sink.length), MEMPLAN_TABLE_OK);
	mp_testing_sample_free(&s);
}

/* Whatever the bytes say, if the table opens then all its answers are within
 * it: that is what open_copy(&table, ) asserts. */
Test(loader, reads_nothing_beyond_a_table_with_a_right_checksum)
{
	static const unsigned char values[] = {
		0, 1, 2, 7, 8, 0x7f, 0x80, 0xfe, 0xff};
	unsigned char *bytes;
	uint32_t refused = 0;

	mp_testing_sample_chain(&s, 4);
	mp_testing_sample_emit(&s, "table");
	bytes = malloc(s.sink.length);
	for (size_t i = 0; i < s.sink.length; i++)
		for (size_t k = 0; k < countof(values); k++) {
			memcpy(bytes, s.sink.bytes, s.sink.length);
			bytes[i] = values[k];
			reseal(bytes, s.sink.length);
			refused += open_copy(&table, bytes, s.sink.length) !=
				   MEMPLAN_TABLE_OK;
		}
	cr_assert(refused > s.sink.length);
	free(bytes);
	mp_testing_sample_free(&s);
}

static enum memplan_table_status open_changed(
	size_t at, unsigned char value, uint32_t tensors)
{
	enum memplan_table_status status;

	mp_testing_sample_chain(&s, tensors);
	mp_testing_sample_emit(&s, "table");
	s.sink.bytes[at] = (char)value;
	reseal((unsigned char *)s.sink.bytes, s.sink.length);
	status = open_copy(&table, s.sink.bytes, s.sink.length);
	mp_testing_sample_free(&s);
	return status;
}

Test(loader, says_what_is_wrong)
{
	cr_assert_eq(open_changed(0, 0x88, 2), MEMPLAN_TABLE_MAGIC);
	cr_assert_eq(open_changed(8, 2, 2), MEMPLAN_TABLE_VERSION);
	cr_assert_eq(open_changed(92, 1, 2), MEMPLAN_TABLE_VERSION);
	cr_assert_eq(open_changed(55, 1, 2), MEMPLAN_TABLE_LAYOUT);
	cr_assert_eq(open_changed(44, 31, 2), MEMPLAN_TABLE_LAYOUT);
	cr_assert_eq(open_changed(96 + 8, 3, 2), MEMPLAN_TABLE_POOLS);
	cr_assert_eq(open_changed(120, 1, 2), MEMPLAN_TABLE_ENTRIES);
	cr_assert_eq(open_changed(120 + 15, 1, 2), MEMPLAN_TABLE_ENTRIES);
	cr_assert_eq(open_changed(120 + 23, 1, 2), MEMPLAN_TABLE_ENTRIES);
	cr_assert_eq(open_changed(120 + 27, 1, 2), MEMPLAN_TABLE_NAMES);
	cr_assert_eq(open_changed(120 + 28, 1, 2), MEMPLAN_TABLE_ENTRIES);
	cr_assert_eq(open_changed(120 + 3 * 32, 1, 2), MEMPLAN_TABLE_NAMES);
	for (int i = 0; i <= MEMPLAN_TABLE_BLOCK; i++)
		cr_assert(memplan_table_text((enum memplan_table_status)i));
	cr_assert_str_eq(memplan_table_text((enum memplan_table_status)99),
		"unknown status");
}

Test(loader, checks_blocks_of_the_caller)
{
	struct memplan_pool pool = {1000, 64};
	unsigned char *block = memplan_host_allocate(&pool);
	struct memplan_pool huge = {UINT64_MAX, 512}, none = {0, 4096};

	cr_assert_eq(memplan_block_check(&pool, block, 1000), MEMPLAN_TABLE_OK);
	cr_assert_eq(
		memplan_block_check(&pool, block, 999), MEMPLAN_TABLE_BLOCK);
	cr_assert_eq(memplan_block_check(&pool, block + 32, 2000),
		MEMPLAN_TABLE_BLOCK);
	cr_assert_eq(
		memplan_block_check(&pool, NULL, 1000), MEMPLAN_TABLE_BLOCK);
	cr_assert_eq(memplan_block_check(&none, NULL, 0), MEMPLAN_TABLE_OK);
	memset(block, 1, 1000);
	memplan_host_free(block);
	cr_assert_not(memplan_host_allocate(&huge));
	memplan_host_free(NULL);
}

Test(loader, aligns_host_blocks)
{
	struct memplan_pool pool = {.size = 3};

	for (pool.align = 1; pool.align <= 1 << 21; pool.align *= 2) {
		unsigned char *block = memplan_host_allocate(&pool);

		cr_assert_eq((uintptr_t)block % pool.align, 0);
		memset(block, 0xff, 3);
		memplan_host_free(block);
	}
}

Test(loader, aligns_within_memory_of_the_caller)
{
	static unsigned char memory[4096];
	struct memplan_pool pool = {1000, 512}, none = {0, 512};
	void *block;

	for (size_t skip = 0; skip < 1024; skip++) {
		uint64_t size = 1000 + 511;

		cr_assert_eq(
			memplan_block_align(&pool, memory + skip, size, &block),
			MEMPLAN_TABLE_OK);
		cr_assert_eq((uintptr_t)block % 512, 0);
		cr_assert_eq(
			memplan_block_check(&pool, block,
				memory + skip + size - (unsigned char *)block),
			MEMPLAN_TABLE_OK);
		cr_assert_eq(
			memplan_block_align(&pool, memory + skip, 999, &block),
			MEMPLAN_TABLE_BLOCK);
	}
	cr_assert_eq(memplan_block_align(&pool, NULL, 9999, &block),
		MEMPLAN_TABLE_BLOCK);
	cr_assert_eq(
		memplan_block_align(&none, NULL, 0, &block), MEMPLAN_TABLE_OK);
}

Test(loader, checks_tables_of_headers)
{
	struct memplan_pool pools[] = {{1000, 64}, {64, 64}};
	struct memplan_entry entry = {900, 100, 0, 1, 0, 0};

	cr_assert_eq(
		memplan_entries_check(&entry, 1, pools, 2), MEMPLAN_TABLE_OK);
	entry.size = 101;
	cr_assert_eq(memplan_entries_check(&entry, 1, pools, 2),
		MEMPLAN_TABLE_ENTRIES);
	entry = (struct memplan_entry){0, 64, 0, 1, 1, 0};
	cr_assert_eq(
		memplan_entries_check(&entry, 1, pools, 2), MEMPLAN_TABLE_OK);
	cr_assert_eq(memplan_entries_check(&entry, 1, pools, 1),
		MEMPLAN_TABLE_ENTRIES);
	entry.start = 2;
	cr_assert_eq(memplan_entries_check(&entry, 1, pools, 2),
		MEMPLAN_TABLE_ENTRIES);
	pools[1].align = 48;
	cr_assert_eq(memplan_entries_check(&entry, 0, pools, 2),
		MEMPLAN_TABLE_POOLS);
}
