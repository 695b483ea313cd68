/*
 * Opens a table. The loader runs in the product, beside the user's kernels, so
 * it is small and trusts nothing: memplan_table_open() checks everything that
 * the other functions use, and they only read what it has checked.
 *
 * SPDX-License-Identifier: MIT
 */
#include "records.h"

enum {
	VERSION = 1,
	HEADER_SIZE = 96,
	POOL_SIZE = 24,
	ENTRY_SIZE = 32,
	CHECKSUM_AT = 24,
};

/* Sums words of eight bytes, with the checksum's own word as zero. Each step
 * can be undone, so a change within one word always shows. */
static uint64_t checksum(const unsigned char *bytes, uint64_t size)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325), word;

	for (uint64_t i = 0; i < size; i += 8) {
		word = i == CHECKSUM_AT ? 0 : get8(bytes + i);
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 32;
	}
	return sum;
}

static const unsigned char magic[8] = {
	0x89, 'M', 'P', 'T', '\r', '\n', 0x1a, '\n'};

static enum memplan_table_status check_frame(
	const unsigned char *bytes, size_t length)
{
	uint64_t total;

	for (size_t i = 0; i < sizeof(magic); i++)
		if (i >= length || bytes[i] != magic[i])
			return i < length ? MEMPLAN_TABLE_MAGIC
					  : MEMPLAN_TABLE_SHORT;
	if (length < HEADER_SIZE)
		return MEMPLAN_TABLE_SHORT;
	if (get4(bytes + 8) != VERSION)
		return MEMPLAN_TABLE_VERSION;
	total = get8(bytes + 16);
	if (total > length)
		return MEMPLAN_TABLE_SHORT;
	if (total < HEADER_SIZE || total % 8 != 0)
		return MEMPLAN_TABLE_LAYOUT;
	if (checksum(bytes, total) != get8(bytes + CHECKSUM_AT))
		return MEMPLAN_TABLE_CHECKSUM;
	return MEMPLAN_TABLE_OK;
}

/* Returns the section that the header field at `field` points to, or NULL if it
 * does not lie wholly behind the header and within the table. Neither a 32-bit
 * count of 32-bit records nor any count of bytes overflows. */
static const unsigned char *find_section(const unsigned char *bytes,
	uint32_t field, uint64_t count, uint32_t record)
{
	uint64_t at = get8(bytes + field), total = get8(bytes + 16);
	uint64_t header = get4(bytes + 12);

	if (header < HEADER_SIZE || at < header || at > total || at % 8 != 0 ||
		count * record > total - at)
		return NULL;
	return bytes + at;
}

static enum memplan_table_status find_sections(
	struct memplan_table *table, const unsigned char *bytes)
{
	table->n_pools = get4(bytes + 32);
	table->pool_size = get4(bytes + 36);
	table->n_entries = get4(bytes + 40);
	table->entry_size = get4(bytes + 44);
	table->names_size = get8(bytes + 80);
	table->n_steps = get4(bytes + 88);
	if (table->pool_size < POOL_SIZE || table->entry_size < ENTRY_SIZE)
		return MEMPLAN_TABLE_LAYOUT;
	if (get4(bytes + 92) != 0)
		return MEMPLAN_TABLE_VERSION;
	table->pools =
		find_section(bytes, 48, table->n_pools, table->pool_size);
	table->entries =
		find_section(bytes, 56, table->n_entries, table->entry_size);
	table->index = find_section(bytes, 64, table->n_entries, INDEX_SIZE);
	table->names = find_section(bytes, 72, table->names_size, 1);
	if (!table->pools || !table->entries || !table->index || !table->names)
		return MEMPLAN_TABLE_LAYOUT;
	return MEMPLAN_TABLE_OK;
}

static enum memplan_table_status check_pools(const struct memplan_table *table)
{
	for (uint32_t i = 0; i < table->n_pools; i++) {
		const unsigned char *pool = pool_at(table, i);
		uint64_t base = get8(pool + 8), unit = get8(pool + 16);

		if (!is_power_of_two(base) || !is_power_of_two(unit) ||
			unit > base)
			return MEMPLAN_TABLE_POOLS;
	}
	return MEMPLAN_TABLE_OK;
}

static int entry_is_fine(
	const struct memplan_table *table, const unsigned char *entry)
{
	uint64_t offset = get8(entry), size = get8(entry + 8);
	uint32_t start = get4(entry + 16), end = get4(entry + 20);
	uint32_t i = get2(entry + 28);
	const unsigned char *pool;

	if (i >= table->n_pools || start > end || end > table->n_steps)
		return 0;
	pool = pool_at(table, i);
	return size <= get8(pool) && offset <= get8(pool) - size &&
	       (offset & (get8(pool + 16) - 1)) == 0;
}

static enum memplan_table_status check_entries(
	const struct memplan_table *table)
{
	for (uint32_t i = 0; i < table->n_entries; i++)
		if (!entry_is_fine(table, entry_at(table, i)))
			return MEMPLAN_TABLE_ENTRIES;
	return MEMPLAN_TABLE_OK;
}

/* The last byte of the section of names is a NUL, so all names end. */
static int names_end(const struct memplan_table *table)
{
	if (table->names_size == 0 || table->names[table->names_size - 1] != 0)
		return 0;
	for (uint32_t i = 0; i < table->n_entries; i++)
		if (get4(entry_at(table, i) + 24) >= table->names_size)
			return 0;
	return 1;
}

/* The names ascend strictly, equal names by index: so each index occurs once,
 * and a binary search finds every name. */
static enum memplan_table_status check_names(const struct memplan_table *table)
{
	uint32_t i, last = 0;
	int order;

	if (!names_end(table))
		return MEMPLAN_TABLE_NAMES;
	for (uint32_t k = 0; k < table->n_entries; k++, last = i) {
		i = nth(table, k);
		if (i >= table->n_entries)
			return MEMPLAN_TABLE_NAMES;
		if (k == 0)
			continue;
		order = compare_names(name_at(table, last), name_at(table, i));
		if (order > 0 || (order == 0 && last >= i))
			return MEMPLAN_TABLE_NAMES;
	}
	return MEMPLAN_TABLE_OK;
}

static enum memplan_table_status open_table(
	struct memplan_table *table, const unsigned char *bytes, size_t length)
{
	enum memplan_table_status status = check_frame(bytes, length);

	if (status == MEMPLAN_TABLE_OK)
		status = find_sections(table, bytes);
	if (status == MEMPLAN_TABLE_OK)
		status = check_pools(table);
	if (status == MEMPLAN_TABLE_OK)
		status = check_entries(table);
	if (status == MEMPLAN_TABLE_OK)
		status = check_names(table);
	return status;
}

enum memplan_table_status memplan_table_open(
	struct memplan_table *table, const void *bytes, size_t length)
{
	enum memplan_table_status status =
		bytes ? open_table(table, bytes, length) : MEMPLAN_TABLE_SHORT;

	if (status != MEMPLAN_TABLE_OK) {
		table->n_pools = table->n_entries = table->n_steps = 0;
		table->names_size = 0;
	}
	return status;
}
