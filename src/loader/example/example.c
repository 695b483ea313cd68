/*
 * How a program uses a plan: one allocation for all tensors of a network. Two
 * ways to know where they lie, the generated header and the binary table, agree
 * here. run-step.h stands for the network's kernels.
 *
 *	example squeezenet.bin
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "memplan/host.h"
#include "run-step.h"
#include "squeezenet.h"

static int run(void)
{
	void *block = memplan_host_allocate(&squeezenet1_1_b1_pools[0]);
	uint32_t lost = SQUEEZENET1_1_B1_N_TENSORS;

	for (uint32_t step = 0; block && step < SQUEEZENET1_1_B1_N_STEPS &&
				lost == SQUEEZENET1_1_B1_N_TENSORS;
		step++)
		lost = example_run_step(squeezenet1_1_b1_entries,
			SQUEEZENET1_1_B1_N_TENSORS, &block, step);
	if (lost < SQUEEZENET1_1_B1_N_TENSORS)
		fprintf(stderr, "tensor %u was overwritten\n", lost);
	memplan_host_free(block);
	return block && lost == SQUEEZENET1_1_B1_N_TENSORS;
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
