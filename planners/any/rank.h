/*
 * Orders of buffers by keys, for planners that place one buffer after the
 * other. An order has up to four keys, the most important first; buffers that
 * agree in all of them keep the input's order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_ANY_RANK_H
#define MP_PLANNERS_ANY_RANK_H

#include "problem/problem.h"

enum rank_key {
	RANK_NONE,     /* no further key */
	RANK_SIZE,     /* large first */
	RANK_AREA,     /* size x lifetime, summed over the parts: large first */
	RANK_LIFETIME, /* long first, in the input's own time */
	RANK_CONFLICTS, /* number of buffers alive together with this one:
			   many first */
	RANK_PRESSURE,	/* greatest load during the lifetime: high first */
	RANK_START,	/* first step: early first */
	RANK_LAST,	/* the last of the input first */
	RANK_WHOLE,	/* alive at all steps: these first */
	RANK_PEAK,	/* of the bytes alive at the step of the greatest load,
			   those that do not conflict with the first part: few
			   first */
	RANK_SECTIONS,	/* sections of a packing, many first: for dives only */
};

enum {
	RANK_KEYS = 4
};

/* Fills order with all buffers, first to last. n log n time, and memory linear
 * in buffers and steps; RANK_PEAK takes n times as many as are alive at once.
 * False only if memory is out. */
bool mp_planner_rank_buffers(const struct problem *problem,
	const enum rank_key keys[RANK_KEYS], uint32_t *order,
	struct arena *arena);

#endif
