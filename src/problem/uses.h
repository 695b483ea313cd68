/*
 * Who uses a tensor, and what keeps it alive: derived from the ops and their
 * order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_USES_H
#define MP_PROBLEM_USES_H

#include "problem/plan.h"

/* Steps that read each item, ascending: those of item i are
 * steps[first[i]] to steps[first[i + 1] - 1]. */
struct uses {
	uint32_t *first, *steps;
	uint32_t *born; /* step of the op that makes it; NONE: made before */
};

enum reason {
	ALIVE_FOR_READER, /* the op at step reads it last */
	ALIVE_TO_END,	  /* it outlives the run: an output, a state, ... */
	ALIVE_TAKEN_OVER, /* the op at step writes over it, in place */
	ALIVE_UNREAD,	  /* nobody reads it; it lives while it is made */
	ALIVE_AS_SAID,	  /* the input fixes it */
};

/* Why an item lives until its end. */
struct stay {
	enum reason reason;
	uint32_t step;
};

/* A greatest load, and the first step that has it. */
struct bottleneck {
	uint64_t load;
	uint32_t step;
};

bool mp_problem_uses_init(
	struct uses *uses, const struct problem *p, struct arena *arena);

struct stay mp_problem_uses_stay(
	const struct uses *uses, const struct problem *p, uint32_t item);

/* The bottleneck that is left if the item took no bytes. */
struct bottleneck mp_problem_uses_without(
	const struct problem *p, uint32_t item);

/* Name of the op that runs at a step, else its type; NULL: it has neither. */
const char *mp_problem_uses_op(const struct problem *p, uint32_t step);

#endif
