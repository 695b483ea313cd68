/*
 * The loader: reads the binary table that "memplan plan -o plan.bin" writes,
 * and says where each tensor lies in the one block that the program allocates.
 * Its core is freestanding C99: no allocation, no libc, no recursion, no global
 * state, nothing but this header. It reads the table where it lies (flash, a
 * mapped file), trusts none of its bytes, and keeps a pointer to it.
 *
 *	struct memplan_table table;
 *	struct memplan_pool pool;
 *	struct memplan_entry entry;
 *	uint32_t i;
 *
 *	status = memplan_table_open(&table, bytes, length);
 *	status = memplan_table_pool(&table, 0, &pool);
 *	block = allocate(pool.size, pool.align);
 *	status = memplan_table_find(&table, "conv1", &i);
 *	status = memplan_table_entry(&table, i, &entry);
 *	x = memplan_entry_at(block, &entry);
 *
 * docs/table-format.md defines the bytes, docs/loader.md tells more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MEMPLAN_LOADER_H
#define MEMPLAN_LOADER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Generated headers define the same structs under the same guard, so that a
 * program may include both. A pool is named by its index, from 0. */
#ifndef MEMPLAN_ENTRY
#define MEMPLAN_ENTRY 1
struct memplan_entry {
	uint64_t offset;     /* bytes from its pool's base */
	uint64_t size;	     /* bytes, not rounded */
	uint32_t start, end; /* alive in steps [start, end) */
	uint32_t pool;
	uint32_t kind; /* 0 activation, 1 input, 2 output, 3 weight,
			  4 state, 5 temporary */
};
struct memplan_pool {
	uint64_t size;	/* bytes to allocate */
	uint64_t align; /* of the base: a power of two */
};
#endif

enum memplan_table_status {
	MEMPLAN_TABLE_OK = 0,
	MEMPLAN_TABLE_SHORT,	/* fewer bytes than the table says or needs */
	MEMPLAN_TABLE_MAGIC,	/* not a table */
	MEMPLAN_TABLE_VERSION,	/* a version that this loader does not know */
	MEMPLAN_TABLE_CHECKSUM, /* damaged */
	MEMPLAN_TABLE_LAYOUT,	/* a section lies outside the table */
	MEMPLAN_TABLE_POOLS,	/* a pool has no sensible size or alignment */
	MEMPLAN_TABLE_ENTRIES,	/* a tensor lies outside its pool, or askew */
	MEMPLAN_TABLE_NAMES,   /* a name has no end, or the index is unsorted */
	MEMPLAN_TABLE_RANGE,   /* there is no pool or tensor of that index */
	MEMPLAN_TABLE_UNKNOWN, /* no tensor has that name */
	MEMPLAN_TABLE_AMBIGUOUS, /* several tensors have that name */
	MEMPLAN_TABLE_BLOCK,	 /* NULL, too small, or not aligned */
};

/* An open table. The members are the loader's own. */
struct memplan_table {
	const unsigned char *pools, *entries, *index, *names;
	uint64_t names_size;
	uint32_t n_pools, pool_size, n_entries, entry_size, n_steps;
};

/* Checks every byte that the other functions rely on. The bytes need no
 * alignment, must stay until the table is used no more, and may be followed by
 * others. After a failure the table is empty but may still be asked. */
enum memplan_table_status memplan_table_open(
	struct memplan_table *table, const void *bytes, size_t length);

/* How many tensors, pools and steps; never fail. */
uint32_t memplan_table_count(const struct memplan_table *table);
uint32_t memplan_table_pools(const struct memplan_table *table);
uint32_t memplan_table_steps(const struct memplan_table *table);

/* What pool i needs. Ask before the allocation. MEMPLAN_TABLE_RANGE: there is
 * no such pool. */
enum memplan_table_status memplan_table_pool(const struct memplan_table *table,
	uint32_t i, struct memplan_pool *pool);

/* Tensor i. MEMPLAN_TABLE_RANGE: i is not below the count. */
enum memplan_table_status memplan_table_entry(const struct memplan_table *table,
	uint32_t i, struct memplan_entry *entry);

/* Name of tensor i, within the table's bytes; "" beyond the last. */
const char *memplan_table_name(const struct memplan_table *table, uint32_t i);

/* Name of the plan, within the table's bytes; "": it has none. */
const char *memplan_table_title(const struct memplan_table *table);

/* The index of the tensor of that name, by binary search.
 * MEMPLAN_TABLE_UNKNOWN: none has it, and *i stays; MEMPLAN_TABLE_AMBIGUOUS:
 * several have, and *i is one of them. */
enum memplan_table_status memplan_table_find(
	const struct memplan_table *table, const char *name, uint32_t *i);

/* Is a block of the caller, of size bytes, large enough for the pool, and
 * aligned? Else MEMPLAN_TABLE_BLOCK. A pool of size 0 needs no block. */
enum memplan_table_status memplan_block_check(
	const struct memplan_pool *pool, const void *block, uint64_t size);

/* The first aligned address for the pool in size bytes of the caller's memory,
 * such as a static array. MEMPLAN_TABLE_BLOCK: too few are left behind it. */
enum memplan_table_status memplan_block_align(const struct memplan_pool *pool,
	void *memory, uint64_t size, void **block);

/* Checks the tables of a generated header as those of a file: for a program
 * that did not compile the header itself. MEMPLAN_TABLE_POOLS or
 * MEMPLAN_TABLE_ENTRIES: one of them is wrong. */
enum memplan_table_status memplan_entries_check(
	const struct memplan_entry *entries, uint32_t n,
	const struct memplan_pool *pools, uint32_t n_pools);

/* What a status means: a sentence without a full stop, which stays for ever. */
const char *memplan_table_text(enum memplan_table_status status);

/* Where a tensor lies in its pool's block, which the caller has checked. */
static inline void *memplan_entry_at(
	void *block, const struct memplan_entry *entry)
{
	return (unsigned char *)block + (size_t)entry->offset;
}

#ifdef __cplusplus
}
#endif

#endif
