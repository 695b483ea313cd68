/*
 * For tests: a planner and a problem, without the street.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_PLANNING_H
#define MP_TESTING_PLANNING_H

#include "planners/planner.h"

/* Adds a buffer of one part, anywhere; there is room for both. */
void mp_testing_add(
	struct problem *p, uint32_t start, uint32_t end, uint64_t size);

/* The job to plan that problem: as low as can be, by one thread, with room for
 * the plan, held against the verifier. Errors go to the arena's. */
struct job mp_testing_job(
	const struct problem *problem, uint64_t steps, struct arena *arena);

/* Runs the planner with that name, which must exist. */
enum outcome mp_testing_plan(struct job *job, const char *planner);

/* Does the buffer meet none of those before it, at these offsets? For searches
 * that try every base of every buffer. */
bool mp_testing_fits(const struct problem *problem, const uint64_t *offsets,
	uint32_t buffer);

#endif
