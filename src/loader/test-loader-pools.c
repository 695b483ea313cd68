/*
 * Tables of plans in several memories, one of them in chunks: what a program
 * allocates and where it finds its tensors; and pool records that lie.
 *
 * SPDX-License-Identifier: MIT
 */
#include "loader/testing.h"

#include "memplan/host.h"
#include "memplan/memplan.h"

static const char graph[] =
	"{\"format\":\"memplan.graph\",\"version\":1,\"alignment\":16,"
	"\"pools\":[{\"name\":\"sram\",\"capacity\":256},"
	"{\"name\":\"dram\",\"alignment\":64,\"chunk\":256}],"
	"\"tensors\":["
	"{\"name\":\"a\",\"size\":100,\"lifetime\":[0,4]},"
	"{\"name\":\"b\",\"size\":200,\"lifetime\":[0,2]},"
	"{\"name\":\"c\",\"size\":200,\"lifetime\":[1,3]},"
	"{\"name\":\"d\",\"size\":250,\"lifetime\":[0,4],\"pools\":[\"dram\"]},"
	"{\"name\":\"e\",\"size\":33,\"lifetime\":[0,4],\"pools\":[\"dram\"]},"
	"{\"name\":\"f\",\"size\":0,\"lifetime\":[0,4]}]}";

enum {
	POOLS_AT = 96, /* of the first record */
	POOL_SIZE = 24,
	MOST_POOLS = 8,
};

struct fixture {
	memplan *plan;
	unsigned char *bytes; /* of the table */
	size_t length;
	struct memplan_table table;
};

static void open_table(struct fixture *f)
{
	const void *bytes;

	f->plan = memplan_new();
	cr_assert_eq(memplan_input(
			     f->plan, "graph", "net", graph, sizeof(graph) - 1),
		MEMPLAN_OK);
	cr_assert_eq(memplan_plan(f->plan), MEMPLAN_OK, "%s",
		memplan_error(f->plan));
	cr_assert_eq(memplan_write(f->plan, "table", &bytes, &f->length),
		MEMPLAN_OK);
	f->bytes = malloc(f->length);
	memcpy(f->bytes, bytes, f->length);
	cr_assert_eq(memplan_table_open(&f->table, f->bytes, f->length),
		MEMPLAN_TABLE_OK);
}

static void close_table(struct fixture *f)
{
	memplan_free(f->plan);
	free(f->bytes);
}

Test(pools, are_what_the_plan_says)
{
	struct fixture f;
	struct memplan_memory memory;
	struct memplan_tensor tensor;
	struct memplan_entry entry;
	struct memplan_pool pool;
	uint32_t n = 0, chunks = 0;

	open_table(&f);
	for (; memplan_memory_at(f.plan, n, &memory, sizeof(memory)); n++) {
		cr_assert_eq(memplan_table_pool(&f.table, n, &pool), 0);
		cr_assert_eq(pool.size, memory.size);
		cr_assert_eq(pool.align, memory.align);
		cr_assert_leq(pool.size, 256);
		chunks += strncmp(memory.name, "dram#", 5) == 0;
	}
	cr_assert_eq(memplan_table_pools(&f.table), n);
	cr_assert_geq(chunks, 2);
	cr_assert_eq(
		memplan_table_pool(&f.table, n, &pool), MEMPLAN_TABLE_RANGE);
	for (uint32_t i = 0;
		memplan_tensor_at(f.plan, i, &tensor, sizeof(tensor)); i++) {
		cr_assert_eq(memplan_table_entry(&f.table, i, &entry), 0);
		cr_assert_eq(entry.pool, tensor.pool);
		cr_assert_eq(entry.offset, tensor.offset);
		cr_assert_eq(entry.size, tensor.size);
	}
	close_table(&f);
}

/* Tensors that are alive together keep their bytes: the first pass writes a
 * tensor, both read it. */
static void touch(void *block, const struct memplan_entry *entry, uint32_t i,
	uint32_t pass)
{
	unsigned char *at = memplan_entry_at(block, entry);

	if (pass == 0)
		memset(at, (int)i + 1, entry->size);
	for (uint64_t b = 0; b < entry->size; b++)
		cr_assert_eq(at[b], i + 1);
}

static void touch_alive(
	const struct fixture *f, void **blocks, uint32_t step, uint32_t pass)
{
	struct memplan_entry entry;

	for (uint32_t i = 0; i < memplan_table_count(&f->table); i++) {
		memplan_table_entry(&f->table, i, &entry);
		if (entry.start <= step && step < entry.end)
			touch(blocks[entry.pool], &entry, i, pass);
	}
}

Test(pools, hold_all_tensors_at_once)
{
	struct fixture f;
	struct memplan_pool pool;
	void *blocks[MOST_POOLS] = {0};

	open_table(&f);
	for (uint32_t k = 0; k < memplan_table_pools(&f.table); k++) {
		cr_assert_eq(memplan_table_pool(&f.table, k, &pool), 0);
		blocks[k] = memplan_host_allocate(&pool);
		cr_assert_eq(memplan_block_check(&pool, blocks[k], pool.size),
			MEMPLAN_TABLE_OK);
	}
	for (uint32_t step = 0; step < memplan_table_steps(&f.table); step++)
		for (uint32_t pass = 0; pass < 2; pass++)
			touch_alive(&f, blocks, step, pass);
	for (uint32_t k = 0; k < MOST_POOLS; k++)
		memplan_host_free(blocks[k]);
	close_table(&f);
}

static enum memplan_table_status open_with(
	struct fixture *f, size_t at, uint64_t value, uint32_t size)
{
	unsigned char *bytes = malloc(f->length);
	enum memplan_table_status status;

	memcpy(bytes, f->bytes, f->length);
	for (uint32_t i = 0; i < size; i++)
		bytes[at + i] = (unsigned char)(value >> (8 * i));
	reseal(bytes, f->length);
	status = open_copy(&f->table, bytes, f->length);
	free(bytes);
	return status;
}

/* The checksum is right, as a table that is damaged on purpose has it. */
Test(pools, that_lie_are_refused)
{
	struct fixture f;
	size_t entries, last;
	uint32_t n;

	open_table(&f);
	n = memplan_table_pools(&f.table);
	entries = POOLS_AT + n * (size_t)POOL_SIZE;
	last = entries - POOL_SIZE;
	cr_assert_eq(open_with(&f, 32, 0, 4), MEMPLAN_TABLE_ENTRIES);
	cr_assert_eq(open_with(&f, 32, n - 1, 4), MEMPLAN_TABLE_ENTRIES);
	cr_assert_eq(open_with(&f, 32, UINT32_MAX, 4), MEMPLAN_TABLE_LAYOUT);
	cr_assert_eq(open_with(&f, 36, 23, 4), MEMPLAN_TABLE_LAYOUT);
	cr_assert_eq(open_with(&f, 48, 88, 8), MEMPLAN_TABLE_LAYOUT);
	cr_assert_eq(
		open_with(&f, 48, UINT64_MAX - 7, 8), MEMPLAN_TABLE_LAYOUT);
	cr_assert_eq(open_with(&f, last, 0, 8), MEMPLAN_TABLE_ENTRIES);
	cr_assert_eq(open_with(&f, last + 8, 0, 8), MEMPLAN_TABLE_POOLS);
	cr_assert_eq(open_with(&f, last + 8, 96, 8), MEMPLAN_TABLE_POOLS);
	cr_assert_eq(open_with(&f, last + 8, 1, 8), MEMPLAN_TABLE_POOLS);
	cr_assert_eq(open_with(&f, last + 16, 0, 8), MEMPLAN_TABLE_POOLS);
	cr_assert_eq(open_with(&f, entries + 28, n, 2), MEMPLAN_TABLE_ENTRIES);
	cr_assert_eq(open_with(&f, entries + 28, UINT16_MAX, 2),
		MEMPLAN_TABLE_ENTRIES);
	cr_assert_eq(open_with(&f, entries, UINT64_MAX - 15, 8),
		MEMPLAN_TABLE_ENTRIES);
	close_table(&f);
}

/* Whatever a byte of a pool's record says, if the table opens, then all that
 * it says lies within its pools: that is what open_copy() asserts. */
Test(pools, of_any_bytes_open_or_do_not)
{
	struct fixture f;
	size_t end;
	uint32_t opened = 0, refused = 0;

	open_table(&f);
	end = POOLS_AT + memplan_table_pools(&f.table) * (size_t)POOL_SIZE;
	for (size_t at = POOLS_AT; at < end; at++)
		for (uint32_t value = 0; value < 256; value++)
			if (open_with(&f, at, value, 1) == MEMPLAN_TABLE_OK)
				opened++;
			else
				refused++;
	cr_assert_gt(opened, 100);
	cr_assert_gt(refused, 1000);
	close_table(&f);
}
