/*
 * What stands for the kernels of a step in programs that compute nothing: a
 * tensor is filled when it is born and checked when it dies, as no other op may
 * have written its bytes in between. C99, no libc.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_EXAMPLE_RUN_STEP_H
#define MP_LOADER_EXAMPLE_RUN_STEP_H

#include "memplan/loader.h"

/* Bytes that depend on the tensor and on their place in it. */
static inline unsigned char example_byte(uint32_t tensor, uint64_t at)
{
	return (unsigned char)(tensor * 167 + (tensor >> 8) + at * 13);
}

/* Writes the n tensors born now, and checks those read for the last time.
 * Returns the first that was overwritten, or n. bases: of each pool. */
static inline uint32_t example_run_step(const struct memplan_entry *entries,
	uint32_t n, void *const *bases, uint32_t step)
{
	for (uint32_t i = 0; i < n; i++) {
		unsigned char *bytes =
			memplan_entry_at(bases[entries[i].pool], &entries[i]);

		for (uint64_t at = 0;
			entries[i].start == step && at < entries[i].size; at++)
			bytes[at] = example_byte(i, at);
	}
	for (uint32_t i = 0; i < n; i++) {
		const unsigned char *bytes =
			memplan_entry_at(bases[entries[i].pool], &entries[i]);

		for (uint64_t at = 0;
			entries[i].end == step + 1 && at < entries[i].size;
			at++)
			if (bytes[at] != example_byte(i, at))
				return i;
	}
	return n;
}

#endif
