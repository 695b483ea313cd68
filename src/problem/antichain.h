/*
 * The theoretical minimum over all timings: the heaviest set of parts of which
 * any two may be alive together, exactly.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_ANTICHAIN_H
#define MP_PROBLEM_ANTICHAIN_H

#include "problem/problem.h"

/* Sets theoretical_min and crowd, the parts that make it, of a problem with
 * several streams. */
bool mp_problem_antichain(
	struct problem *problem, struct arena *arena, struct error *e);

#endif
