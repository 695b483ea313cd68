/*
 * Who is alive at the peak.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_PEAK_H
#define MP_EMIT_PEAK_H

#include "problem/plan.h"

struct alive {
	uint64_t size; /* rounded to the alignment; no byte counts twice */
	uint32_t item;
};

/* The items that hold bytes at peak_step, largest first. NULL: no memory. */
struct alive *mp_emit_peak_alive(
	const struct problem *p, uint32_t *n, struct arena *arena);

/* The op that runs at peak_step, or NULL. */
const struct step *mp_emit_peak_op(const struct problem *p);

#endif
