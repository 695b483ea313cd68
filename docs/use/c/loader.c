/*
 * Applies a table to one block.
 *
 * SPDX-License-Identifier: MIT
 */
#include <memplan/host.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	static char bytes[1 << 20];
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	size_t length = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
	enum memplan_table_status status;
	struct memplan_table table;
	struct memplan_pool pool;
	struct memplan_entry entry;
	void *block;

	if (!file) {
		fprintf(stderr, "loader TABLE: no such file\n");
		return 2;
	}
	fclose(file);
	status = memplan_table_open(&table, bytes, length);
	if (status != MEMPLAN_TABLE_OK) {
		fprintf(stderr, "%s\n", memplan_table_text(status));
		return 1;
	}
	memplan_table_pool(&table, 0, &pool);
	block = memplan_host_allocate(&pool);
	if (!block)
		return 1;
	for (uint32_t i = 0; i < memplan_table_count(&table); i++) {
		memplan_table_entry(&table, i, &entry);
		printf("%s at %p\n", memplan_table_name(&table, i),
			memplan_entry_at(block, &entry));
	}
	memplan_host_free(block);
	return 0;
}
