/*
 * Orders of stacks that fixed offsets allow. What was joined without regard to
 * fixed offsets may still agree with them: the members of a stack can lie in
 * any order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_HANG_H
#define MP_PLANNERS_PLAIN_HANG_H

#include "planners/plain/compounds.h"

/* Finds offsets of all buffers in a compound at base 0, joined without bases,
 * so that they keep the fixed offsets of the problem. *found: there are some;
 * else there may still be, but none that was found in time. False: memory is
 * out. */
bool mp_planner_hang(struct compounds *c, uint32_t compound,
	const struct problem *problem, struct job *job, uint64_t *offsets,
	bool *found);

#endif
