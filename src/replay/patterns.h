/*
 * Writes patterns into tensors, and compares them later. Functions that use the
 * device return 0, or 1 once the device has failed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_REPLAY_PATTERNS_H
#define MP_REPLAY_PATTERNS_H

#include "replay/inside.h"

struct span {
	uint64_t low, high; /* bytes [low, high) of a tensor */
};

/* The address of its bytes on the device. */
struct memplan_range mp_replay_range(const struct run *run, uint32_t t);

/* Fills a tensor. An alias that does not write keeps the bytes that are there.
 */
int mp_replay_is_written(const struct run *run, uint32_t t);

int mp_replay_write(
	struct run *run, uint32_t stream, uint32_t t, uint32_t writer);

/* Compares an input with what its producer left. */
int mp_replay_compare_input(
	struct run *run, uint32_t stream, uint32_t step, uint32_t t);

/* Compares a range with the pattern of the tensor that wrote it last, as the
 * plan allows. */
int mp_replay_compare_kept(struct run *run, uint32_t stream, uint32_t step,
	uint32_t t, const struct span *bytes);

/* The same for all bytes of the tensor, unless it was compared in this step. */
int mp_replay_compare_all(
	struct run *run, uint32_t stream, uint32_t step, uint32_t t);

/* Waits for the device, and reads the findings of all comparisons so far. */
int mp_replay_look(struct run *run);

#endif
