/*
 * Lower bounds on the arena that follow from the problem alone: the load, the
 * ends of fixed buffers, what alignment adds, and what buffers add that are
 * apart or meet in pairs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_BOUND_H
#define MP_PROBLEM_BOUND_H

#include "problem/clique.h"
#include "problem/plan.h"

struct lower_bound {
	uint64_t bytes;
	enum bound_kind kind; /* BOUND_LOAD, BOUND_PIN or BOUND_CLIQUE */
	struct clique clique; /* BOUND_CLIQUE: why */
};

/* The greatest bound. */
bool mp_problem_bound(const struct problem *problem, struct lower_bound *bound,
	struct arena *arena);

#endif
