/*
 * How a program uses a plan: one allocation for all tensors of a network. Two
 * ways to know where they lie, the generated header and the binary table, agree
 * here. Instead of computing, each tensor is filled when it is born and checked
 * when it dies: no other op may have written its bytes in between.
 *
 *	example squeezenet.bin
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "memplan/host.h"
#include "squeezenet.h"

/* Bytes that depend on the tensor and on their place in it. */
static unsigned char pattern(uint32_t tensor, uint64_t at)
{
	return (unsigned char)(tensor * 167 + (tensor >> 8) + at * 13);
}

static void fill(void *block, uint32_t tensor)
{
	const struct memplan_entry *entry = &squeezenet1_1_b1_entries[tensor];
	unsigned char *bytes = memplan_entry_at(block, entry);

	for (uint64_t i = 0; i < entry->size; i++)
		bytes[i] = pattern(tensor, i);
}

static int is_intact(void *block, uint32_t tensor)
{
	const struct memplan_entry *entry = &squeezenet1_1_b1_entries[tensor];
	const unsigned char *bytes = memplan_entry_at(block, entry);

	for (uint64_t i = 0; i < entry->size; i++)
		if (bytes[i] != pattern(tensor, i))
			return 0;
	return 1;
}

/* One step of the network: writes the tensors born now, and checks those read
 * for the last time. */
static int run_step(void *block, uint32_t step)
{
	for (uint32_t i = 0; i < SQUEEZENET1_1_B1_N_TENSORS; i++)
		if (squeezenet1_1_b1_entries[i].start == step)
			fill(block, i);
	for (uint32_t i = 0; i < SQUEEZENET1_1_B1_N_TENSORS; i++)
		if (squeezenet1_1_b1_entries[i].end == step + 1 &&
			!is_intact(block, i)) {
			fprintf(stderr, "tensor %u was overwritten\n", i);
			return 0;
		}
	return 1;
}

static int run(void)
{
	void *block = memplan_host_allocate(&squeezenet1_1_b1_pools[0]);
	int good = block != NULL;

	for (uint32_t step = 0; good && step < SQUEEZENET1_1_B1_N_STEPS; step++)
		good = run_step(block, step);
	memplan_host_free(block);
	return good;
}

/* Compares the header with the table of the same plan. */
static int compare(const struct memplan_table *table)
{
	struct memplan_entry entry;
	uint32_t i;

	if (memplan_table_count(table) != SQUEEZENET1_1_B1_N_TENSORS)
		return 0;
	for (i = 0; i < SQUEEZENET1_1_B1_N_TENSORS; i++)
		if (memplan_table_entry(table, i, &entry) ||
			memcmp(&entry, &squeezenet1_1_b1_entries[i],
				sizeof(entry)))
			return 0;
	return memplan_table_find(table, "input", &i) == MEMPLAN_TABLE_OK &&
	       i == SQUEEZENET1_1_B1_TENSOR_input;
}

static int check_table(const char *path)
{
	static unsigned char bytes[1 << 20];
	struct memplan_table table;
	enum memplan_table_status status;
	FILE *file = fopen(path, "rb");
	size_t length;

	if (!file)
		return 0;
	length = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	status = memplan_table_open(&table, bytes, length);
	if (status == MEMPLAN_TABLE_OK)
		return compare(&table);
	fprintf(stderr, "%s: %s\n", path, memplan_table_text(status));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	if (!run() || !check_table(argv[1]))
		return 1;
	printf("%u tensors in one block of %llu bytes: all intact\n",
		SQUEEZENET1_1_B1_N_TENSORS,
		(unsigned long long)SQUEEZENET1_1_B1_ARENA_SIZE);
	return 0;
}
