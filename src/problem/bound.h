/*
 * Lower bounds on the arena that follow from the problem alone, so that anyone
 * may derive them again: what is alive at once, what fixed offsets reach, and
 * what alignment adds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_BOUND_H
#define MP_PROBLEM_BOUND_H

#include "problem/plan.h"

/* The best of them, in bytes, and its kind: BOUND_LOAD or BOUND_PIN. */
bool mp_problem_bound(const struct problem *problem, uint64_t *bound,
	enum bound_kind *kind, struct arena *scratch);

#endif
