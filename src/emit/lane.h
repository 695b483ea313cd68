/*
 * One of a plan's memories as pictures and traces show it: the bytes that are
 * alive there at each step.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_LANE_H
#define MP_EMIT_LANE_H

#include "problem/plan.h"

struct lane {
	struct space space;
	uint32_t index;	      /* of the memory */
	const uint64_t *load; /* bytes alive at each step of the listed order */
	uint32_t peak_step;   /* first step that has most of them */
};

/* Of one memory that is all; of several, sizes are rounded as each wants it. */
bool mp_emit_lane(const struct plan *plan, uint32_t i, struct lane *lane,
	struct arena *arena, struct error *e);

/* Where a part lies. */
uint32_t mp_emit_lane_of(const struct plan *plan, const struct part *part);

#endif
