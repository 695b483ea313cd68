/*
 * A small network that computes, network-host.c, runs twice: once with an
 * allocation per tensor and once in the one block of its plan, with canaries
 * around every step; the results must be equal to the last bit.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "memplan/canary.h"
#include "memplan/host.h"
#include "network-host.h"

#define TENSOR(name) memory->at[NETWORK_TENSOR_##name]

static int run_watched(const struct network_memory *memory,
	const struct memplan_canary *canary)
{
	struct memplan_canary_report report;

	for (uint32_t step = 0; step < NETWORK_N_STEPS; step++) {
		memplan_canary_before(canary, step);
		network_step(memory, step);
		if (memplan_canary_after(canary, step, &report)) {
			fprintf(stderr, "step %u: tensor %u, byte %llu\n",
				report.step, report.tensor,
				(unsigned long long)report.at);
			return 0;
		}
	}
	return 1;
}

static int run_planned(struct network_memory *memory, float *chances)
{
	uint64_t sums[NETWORK_N_TENSORS];
	void *block = memplan_host_allocate(&network_pools[0]);
	struct memplan_canary canary = {block, NETWORK_ARENA_SIZE,
		network_entries, NETWORK_N_TENSORS, sums, 0, NULL};
	int good;

	if (!block)
		return 0;
	for (uint32_t i = 0; i < NETWORK_N_TENSORS; i++)
		memory->at[i] = memplan_entry_at(block, &network_entries[i]);
	network_fill(TENSOR(image), NETWORK_SIZE_image / sizeof(float), 1);
	good = run_watched(memory, &canary);
	memcpy(chances, TENSOR(chances), NETWORK_SIZE_chances);
	memplan_host_free(block);
	return good;
}

int main(void)
{
	static float weights[NETWORK_N_WEIGHTS];
	struct network_memory memory = {.weights = weights};
	float apart[CLASSES], planned[CLASSES];

	network_fill(weights, NETWORK_N_WEIGHTS, 7);
	if (!network_run_apart(weights, apart) ||
		!run_planned(&memory, planned))
		return 1;
	for (int i = 0; i < CLASSES; i++)
		printf("class %d: %.4f\n", i, (double)planned[i]);
	network_print_saved();
	return memcmp(apart, planned, sizeof(apart)) == 0 ? 0 : 1;
}
