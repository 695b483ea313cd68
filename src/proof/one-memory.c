/*
 * The problem of one of several memories: what lies there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "proof/inside.h"

bool mp_proof_memory(const struct problem *whole, const struct spaces *spaces,
	uint32_t i, struct problem *memory, const uint64_t **offsets,
	struct arena *arena)
{
	uint32_t *buffers, n = 0;
	uint64_t *own;

	if (!spaces) {
		*memory = *whole;
		return true;
	}
	buffers = NEW(arena, uint32_t, whole->n_buffers);
	own = NEW(arena, uint64_t, whole->n_buffers);
	if (!buffers || !own)
		return false;
	for (uint32_t k = 0; k < whole->n_buffers; k++) {
		if (spaces->of[k] != i)
			continue;
		buffers[n] = k;
		own[n++] = offsets ? (*offsets)[k] : 0;
	}
	if (offsets)
		*offsets = own;
	return mp_problem_subproblem(whole, buffers, n, spaces->at[i].alignment,
		memory, arena, arena->error);
}
