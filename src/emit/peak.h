/*
 * What is alive at the peak.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_PEAK_H
#define MP_EMIT_PEAK_H

#include "problem/plan.h"

struct alive {
	uint64_t size; /* rounded to the alignment; no byte counts twice */
	uint32_t tensor;
};

/* The tensors that hold bytes at a step, largest first. NULL: no memory. */
struct alive *mp_emit_peak_alive(const struct schedule *s, uint32_t step,
	uint32_t *n, struct arena *arena);

#endif
