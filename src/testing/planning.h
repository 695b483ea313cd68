/*
 * For tests: a planner and a problem, without the street.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_PLANNING_H
#define MP_TESTING_PLANNING_H

#include "planners/planner.h"

/* A problem in the making, and what a row needs to plan it. */
struct planning {
	struct error error;
	struct arena arena;
	struct problem problem;
	struct job job;
};

/* Begins a problem of one stream, with room for so many buffers of two parts
 * at most. It stays where it is. */
void mp_testing_begin(struct planning *p, uint32_t buffers, uint32_t steps);

/* Adds a buffer of one part, anywhere; there is room for both. */
void mp_testing_add(
	struct problem *p, uint32_t start, uint32_t end, uint64_t size);

/* Ends the problem, and makes a job for that row. False: memory is out, or the
 * error says what is wrong with the problem. */
bool mp_testing_end(struct planning *p, const char *planner, uint64_t steps);

/* The job to plan that problem: as low as can be, by one thread, with room for
 * the plan, held against the verifier. Errors go to the arena's. */
struct job mp_testing_job(
	const struct problem *problem, uint64_t steps, struct arena *arena);

/* Row i of planners and peers, planners first; NULL beyond the last. */
const struct planner *mp_testing_row(uint32_t i);

/* Runs the planner with that name, which must exist. */
enum outcome mp_testing_plan(struct job *job, const char *planner);

/* Did both jobs spend as much for the same plan, of one problem? */
bool mp_testing_same_plan(const struct job *a, const struct job *b);

/* Plans so many random problems of 8 buffers. Returns how many plans are as
 * low as brute force; 0: one is lower, or the planner has failed. */
uint32_t mp_testing_count_least(const char *planner, uint64_t n);

/* Does the buffer meet none of those before it, at these offsets? For searches
 * that try every base of every buffer. */
bool mp_testing_fits(const struct problem *problem, const uint64_t *offsets,
	uint32_t buffer);

#endif
