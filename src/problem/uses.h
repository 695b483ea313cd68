/*
 * The uses of a tensor, and what keeps it alive.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_USES_H
#define MP_PROBLEM_USES_H

#include "problem/schedule.h"

/* Steps that read each tensor, ascending: those of tensor i are
 * steps[first[i]] to steps[first[i + 1] - 1]. */
struct uses {
	const uint32_t *first, *steps;
	uint32_t *born; /* step of its producer; NONE: made before the run */
	uint32_t *step; /* of an op */
};

enum reason {
	ALIVE_FOR_READER, /* the op at step is its last reader */
	ALIVE_TO_END,	  /* it outlives the run: an output, a state, ... */
	ALIVE_TAKEN_OVER, /* the op at step writes over it, in place */
	ALIVE_UNREAD,	  /* no op reads it; it lives while it is made */
	ALIVE_AS_SAID,	  /* the input fixes it */
};

/* Why a tensor lives until its end. */
struct ending {
	enum reason reason;
	uint32_t step;
};

/* A greatest load, and the first step that has it. */
struct bottleneck {
	uint64_t load;
	uint32_t step;
};

bool mp_problem_uses_init(
	struct uses *uses, const struct schedule *s, struct arena *arena);

struct ending mp_problem_uses_ending(
	const struct uses *uses, const struct schedule *s, uint32_t tensor);

/* The bottleneck if the tensor took no bytes. */
struct bottleneck mp_problem_uses_without(
	const struct schedule *s, uint32_t tensor);

#endif
