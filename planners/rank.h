/*
 * Orders of buffers for planners that place one after the other. A rule is up
 * to three keys; buffers that agree in all of them keep the input's order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_RANK_H
#define MP_RANK_H

#include "problem.h"

enum rank_key {
	RANK_NONE,     /* no further key */
	RANK_SIZE,     /* large first */
	RANK_AREA,     /* size x lifetime, summed over the parts: large first */
	RANK_LIFETIME, /* long first, in the input's own time */
	RANK_CONFLICTS, /* alive together with many others first */
	RANK_FEWEST,	/* alive together with few others first */
	RANK_PRESSURE,	/* by the greatest load during the lifetime: high
			   first */
	RANK_BREADTH,	/* likewise, and of equal loads the earliest step's
			   buffers first */
	RANK_START,	/* early first */
	RANK_WHOLE,	/* alive throughout first */
	RANK_LAST,	/* late in the input first */
};

enum {
	RANK_KEYS = 3
};

/* Fills order with all buffers, first to last. n log n time, and memory linear
 * in buffers and steps. False only if memory is out. */
bool mp_rank_buffers(const struct problem *problem,
	const enum rank_key keys[RANK_KEYS], uint32_t *order,
	struct arena *arena);

#endif
