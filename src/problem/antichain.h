/*
 * The theoretical minimum over all timings: the weight of the heaviest
 * antichain, a set of parts of which any two may be alive together. It is
 * exact.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_ANTICHAIN_H
#define MP_PROBLEM_ANTICHAIN_H

#include "problem/problem.h"

/* Fills theoretical_min and antichain, the parts that weigh as much, of a
 * problem with several streams. */
bool mp_problem_antichain(struct problem *problem, struct arena *arena);

#endif
