/*
 * near: a plan within a given size in which as many bytes as possible lie where
 * an older plan has them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_NEAR_NEAR_H
#define MP_PLANNERS_NEAR_NEAR_H

#include "planners/planner.h"

/* With this base of the buffer, so many bytes of its tensors lie where they
 * lay. A buffer of several tensors may have several old bases. */
struct old_base {
	uint32_t buffer;
	uint64_t base, bytes;
};

struct near_plan {
	uint64_t limit; /* bytes that the plan may take: its height or more */
	const struct old_base *old; /* buffers ascend; no base twice */
	uint32_t n_old;

	uint64_t kept; /* what came out: bytes that stay */
};

/* Changes the job's best plan, and its height, if it finds one within its steps
 * in which more bytes stay. False: the verifier rejects it, or memory is out.
 */
bool mp_planner_near(struct job *job, struct near_plan *near);

/* Bytes that stay with these offsets. */
uint64_t mp_planner_near_kept(
	const struct near_plan *near, const uint64_t *offsets);

#endif
