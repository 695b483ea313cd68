/*
 * Where the records of a table lie, and how to read them. open.c has checked
 * every byte that is read here.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_CORE_RECORDS_H
#define MP_LOADER_CORE_RECORDS_H

#include "memplan/loader.h"

enum {
	INDEX_SIZE = 4, /* bytes of an entry of the sorted names */
};

#if defined(__x86_64__) || defined(__aarch64__) ||                             \
	(defined(__ARM_FEATURE_UNALIGNED) && !defined(__ARM_BIG_ENDIAN))
/* A machine with the table's byte order that loads from any address. */
struct two {
	uint16_t value;
} __attribute__((packed, may_alias));
struct four {
	uint32_t value;
} __attribute__((packed, may_alias));
struct eight {
	uint64_t value;
} __attribute__((packed, may_alias));

static inline uint32_t get2(const unsigned char *at)
{
	return ((const struct two *)at)->value;
}

static inline uint32_t get4(const unsigned char *at)
{
	return ((const struct four *)at)->value;
}

static inline uint64_t get8(const unsigned char *at)
{
	return ((const struct eight *)at)->value;
}
#else
/* Any machine. */
static inline uint32_t get2(const unsigned char *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static inline uint32_t get4(const unsigned char *at)
{
	return get2(at) | get2(at + 2) << 16;
}

static inline uint64_t get8(const unsigned char *at)
{
	return get4(at) | (uint64_t)get4(at + 4) << 32;
}
#endif

static inline const unsigned char *pool_at(
	const struct memplan_table *table, uint32_t i)
{
	return table->pools + (uint64_t)i * table->pool_size;
}

static inline const unsigned char *entry_at(
	const struct memplan_table *table, uint32_t i)
{
	return table->entries + (uint64_t)i * table->entry_size;
}

static inline const char *name_at(const struct memplan_table *table, uint32_t i)
{
	return (const char *)table->names + get4(entry_at(table, i) + 24);
}

/* The tensor at that place of the sorted names. */
static inline uint32_t nth(const struct memplan_table *table, uint32_t k)
{
	return get4(table->index + (uint64_t)k * INDEX_SIZE);
}

/* As strcmp. */
static inline int compare_names(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

static inline int is_power_of_two(uint64_t value)
{
	return value != 0 && (value & (value - 1)) == 0;
}

#endif
