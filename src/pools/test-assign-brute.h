/*
 * For tests: whether few buffers fit pools at all, by trying everything on the
 * problem as it is. Shares no code with what divides it into parts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_POOLS_TEST_ASSIGN_BRUTE_H
#define MP_POOLS_TEST_ASSIGN_BRUTE_H

#include "problem/problem.h"

enum {
	BRUTE_BUFFERS = 8,
	BRUTE_POOLS = 3,
};

/* True if any assignment of the buffers to pools of their lists, each in any
 * sequence at the lowest place that is free, keeps to the capacities. That is
 * exact where every buffer is one part and no pool is cut into blocks. */
bool mp_brute_fits(const struct problem *problem);

#endif
