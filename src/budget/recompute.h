/*
 * Ops that must run again, in a row, so that a tensor is made anew.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUDGET_RECOMPUTE_H
#define MP_BUDGET_RECOMPUTE_H

#include "budget/detour.h"
#include "problem/schedule.h"

enum {
	CHAIN_INPUTS = 64, /* at most, that its ops find alive */
	CHAIN_DEPTH = 6,   /* ways to begin one farther back */
};

struct chain {
	uint32_t ops[DETOUR_OPS]; /* in the order in which they first ran */
	uint32_t n_ops;
	uint32_t inputs[CHAIN_INPUTS]; /* tensors that are alive and read */
	uint32_t n_inputs;
	uint64_t nanoseconds;
	uint64_t need; /* bytes on top of the item's own while they run */
};

/* What makes an item anew before a step. What its op reads is made anew too if
 * it is dead by then; and up to depth ops back if it is alive but rests, so
 * that it need not be. place is the step of each op. False: it cannot be made;
 * or not differently from how it is with less depth. */
bool mp_budget_recompute_find(const struct schedule *schedule,
	const uint32_t *place, const bool *tied, uint32_t tensor, uint32_t step,
	uint32_t depth, struct chain *chain);

#endif
