/*
 * Where tensors rest between two uses, and what it would cost to use that.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUDGET_RESTS_H
#define MP_BUDGET_RESTS_H

#include "budget/budget.h"

/* A rest of a tensor between two uses, and one way to use it. As it is found,
 * its bytes are free for all steps between the two. */
struct candidate {
	struct detour detour;
	uint64_t size;		     /* in the arena */
	uint64_t write, read, again; /* nanoseconds of its parts */
	uint64_t need;		     /* bytes while ops run again */
	const uint32_t *inputs;	     /* items that these read */
	uint32_t n_inputs;
	bool chosen, tried;
};

/* All rests of a job's problem, those of one tensor in the order of steps. */
bool mp_budget_rests_find(
	const struct budget_job *job, struct candidate **rests, uint32_t *n);

#endif
