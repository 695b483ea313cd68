/*
 * How a program uses a plan in several memories: a small array that the linker
 * may put into fast memory, and what is left on the heap. run-step.h stands for
 * the kernels, with canaries in both memories. The binary table of the plan
 * says the same.
 *
 *	memories memories.bin
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "memories.h"
#include "memplan/canary.h"
#include "memplan/host.h"
#include "run-step.h"

enum {
	SRAM,
	DRAM,
};

/* A program of a microcontroller says which memory:
 * __attribute__((section(".sram"))). */
static unsigned char sram[MEMORIES_POOL_SIZE_0 + MEMORIES_POOL_ALIGN_0];
static void *bases[MEMORIES_N_POOLS];
static uint64_t sums[MEMORIES_N_POOLS][MEMORIES_N_TENSORS];

static int bind_memories(void)
{
	if (memplan_block_align(
		    &memories_pools[SRAM], sram, sizeof(sram), &bases[SRAM]))
		return 0;
	bases[DRAM] = memplan_host_allocate(&memories_pools[DRAM]);
	return bases[DRAM] != NULL;
}

static int run_watched(uint32_t step)
{
	struct memplan_canary canaries[MEMORIES_N_POOLS];
	struct memplan_canary_report report;
	uint32_t lost;
	int good;

	for (uint32_t k = 0; k < MEMORIES_N_POOLS; k++) {
		canaries[k] = (struct memplan_canary){bases[k],
			memories_pools[k].size, memories_entries,
			MEMORIES_N_TENSORS, sums[k], k, NULL};
		memplan_canary_before(&canaries[k], step);
	}
	lost = example_run_step(
		memories_entries, MEMORIES_N_TENSORS, bases, step);
	if (lost < MEMORIES_N_TENSORS)
		fprintf(stderr, "tensor %u is lost\n", lost);
	good = lost == MEMORIES_N_TENSORS;
	for (uint32_t k = 0; k < MEMORIES_N_POOLS; k++)
		good = good &&
		       !memplan_canary_after(&canaries[k], step, &report);
	return good;
}

static int agrees(const char *path)
{
	static unsigned char bytes[1 << 16];
	struct memplan_table table;
	struct memplan_entry entry;
	struct memplan_pool pool;
	FILE *file = fopen(path, "rb");
	size_t length = file ? fread(bytes, 1, sizeof(bytes), file) : 0;

	if (file)
		fclose(file);
	if (memplan_table_open(&table, bytes, length) ||
		memplan_table_pools(&table) != MEMORIES_N_POOLS)
		return 0;
	for (uint32_t k = 0; k < MEMORIES_N_POOLS; k++)
		if (memplan_table_pool(&table, k, &pool) ||
			memcmp(&pool, &memories_pools[k], sizeof(pool)))
			return 0;
	for (uint32_t t = 0; t < MEMORIES_N_TENSORS; t++)
		if (memplan_table_entry(&table, t, &entry) ||
			memcmp(&entry, &memories_entries[t], sizeof(entry)))
			return 0;
	return 1;
}

int main(int argc, char **argv)
{
	const struct memplan_entry *image =
		&memories_entries[MEMORIES_TENSOR_image];
	int good = argc == 2 && agrees(argv[1]) && bind_memories();

	for (uint32_t step = 0; good && step < MEMORIES_N_STEPS; step++)
		good = run_watched(step);
	/* A kernel would get this address. */
	good = good && MEMORIES_IN(bases, image) ==
			       memplan_entry_at(bases[image->pool], image);
	memplan_host_free(bases[DRAM]);
	if (!good)
		return fputs("memories: failed\n", stderr), 1;
	printf("%u tensors in %llu bytes of sram and %llu of dram\n",
		(unsigned int)MEMORIES_N_TENSORS,
		(unsigned long long)MEMORIES_POOL_SIZE_0,
		(unsigned long long)MEMORIES_POOL_SIZE_1);
	return 0;
}
