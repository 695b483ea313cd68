/*
 * What a replay writes into tensors, and how it finds out whether it is still
 * there. Functions that use the device return 0, or 1 once it has failed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_REPLAY_PATTERNS_H
#define MP_REPLAY_PATTERNS_H

#include "replay/inside.h"

struct span {
	uint64_t low, high; /* bytes [low, high) of a tensor */
};

/* Where its bytes are on the device. */
struct memplan_range mp_replay_range(const struct run *run, uint32_t t);

/* An alias that is not written has what is there. */
int mp_replay_is_written(const struct run *run, uint32_t t);

int mp_replay_write(
	struct run *run, uint32_t stream, uint32_t t, uint32_t writer);

/* An input must be what its producer left. */
int mp_replay_compare_input(
	struct run *run, uint32_t stream, uint32_t step, uint32_t t);

/* The bytes must be as the last tensor that was rightly written there left
 * them. */
int mp_replay_compare_kept(struct run *run, uint32_t stream, uint32_t step,
	uint32_t t, const struct span *bytes);

/* The same of all its bytes, unless it was compared in this step. */
int mp_replay_compare_all(
	struct run *run, uint32_t stream, uint32_t step, uint32_t t);

/* Waits, and looks at what the comparisons so far have found. */
int mp_replay_look(struct run *run);

#endif
