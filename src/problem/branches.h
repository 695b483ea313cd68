/*
 * Exclusive branches, of which only one of a choice runs: their loads, and the
 * branch combinations.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_BRANCHES_H
#define MP_PROBLEM_BRANCHES_H

#include "base/tournament.h"
#include "problem/problem.h"

/* The bytes that each branch has alive at one step, with those of the heaviest
 * branches of the choices that stand in it. */
struct branch_loads {
	const struct problem *problem;
	uint32_t *first; /* of a choice: its first branch; n_choices + 1 */
	uint64_t *alive; /* of a branch: bytes */
	struct tournament heaviest; /* of branches */
	uint64_t total; /* of the heaviest ones: may be alive at once */
};

/* True if the buffer is of a branch. Most functions below require that. */
static inline bool mp_problem_branches_have(
	const struct problem *problem, uint32_t buffer)
{
	return problem->choice && problem->choice[buffer] != NONE;
}

/* Branches [first, last] of one choice, in which several buffers are, each in
 * one of them; choice NONE: there is no such choice. */
struct branch_range {
	uint32_t choice, first, last;
};

/* The branch of a buffer, in a problem with choices. */
struct branch_range mp_problem_branches_range(
	const struct problem *problem, uint32_t buffer);

/* The branches, as deep as can be, of the buffers of both. */
struct branch_range mp_problem_branches_unite(const struct problem *problem,
	struct branch_range x, struct branch_range y);

/* True if no run has the buffer and one of those in the range. False: some may.
 */
bool mp_problem_branches_exclude(const struct problem *problem,
	struct branch_range range, uint32_t buffer);

/* Begins with nothing alive, in a problem with choices. */
bool mp_problem_branches_init(struct branch_loads *loads,
	const struct problem *problem, struct arena *arena);
void mp_problem_branches_clear(struct branch_loads *loads);

/* Adds bytes of a buffer to the loads of its branch, when they begin to be
 * alive, or takes them off again. */
void mp_problem_branches_add(
	struct branch_loads *loads, uint32_t buffer, uint64_t bytes);
void mp_problem_branches_remove(
	struct branch_loads *loads, uint32_t buffer, uint64_t bytes);

/* True if no branch is heavier than the buffer's, nor than those around it. */
bool mp_problem_branches_are_heaviest(
	const struct branch_loads *loads, uint32_t buffer);

/* True if the buffer's branch is the one that counts of its choice, and so are
 * those around it, or the buffer is of no branch. */
bool mp_problem_branches_take(
	const struct branch_loads *loads, uint32_t buffer);

/* Adds to the load of each step, for every choice, the bytes that the heaviest
 * of its branches has alive there. Branches of different choices may run
 * together, so this is the most that may be alive at once. */
bool mp_problem_branches_load(
	const struct problem *problem, uint64_t *load, struct arena *arena);

/* Branch combinations: a run takes one branch of every choice, also of those
 * that it does not come to. */
struct branch_sets {
	const struct problem *problem;
	uint32_t *branches; /* of a choice: how many, and one that is empty */
	uint32_t n; /* combinations; 1 if there are no choices or too many
		       combinations: then all parts are in it */
};

/* False only if memory is out. */
bool mp_problem_branch_sets_init(struct branch_sets *sets,
	const struct problem *problem, struct arena *arena);

/* Does the part live in that combination, which is below n? */
bool mp_problem_branch_sets_take(
	const struct branch_sets *sets, uint32_t set, uint32_t part);

#endif
