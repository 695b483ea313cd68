/*
 * Lower bounds on the arena that follow from the problem alone: the load, the
 * ends of fixed buffers, and what alignment adds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_BOUND_H
#define MP_PROBLEM_BOUND_H

#include "problem/plan.h"

/* The greatest bound, in bytes, and its kind: BOUND_LOAD or BOUND_PIN. */
bool mp_problem_bound(const struct problem *problem, uint64_t *bound,
	enum bound_kind *kind, struct arena *scratch);

#endif
