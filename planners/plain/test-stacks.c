/*
 * stacks: its bounds are true, and above the load where orders of what is alive
 * run out.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "testing/random.h"
#include "testing/ring.h"

enum {
	PROBLEMS = 40,
	STEPS = 30000,
	SIZE = RING_SIZE,
	LOAD = RING_LOAD,
	ROUNDS = 40,
	FEW_ROUNDS = 9
};

Test(stacks, refute_a_ring_that_has_too_little_room_between_rounds)
{
	struct planning f;

	mp_testing_ring(&f, ROUNDS, UINT64_MAX);
	f.job.steps = 30 * STEPS;
	cr_assert_eq(f.job.lower_bound, LOAD * SIZE + 2);
	cr_assert_neq(mp_testing_plan(&f.job, "stacks"), PLAN_FAILED);
	cr_assert_eq(f.job.lower_bound, (LOAD + 1) * SIZE);
	cr_assert_eq(f.job.bound_kind, BOUND_SEARCH);
	mp_arena_free(&f.arena);
}

Test(stacks, refute_no_ring_that_has_room)
{
	struct planning f;

	mp_testing_ring(&f, ROUNDS, 0);
	f.job.steps = 30 * STEPS;
	cr_assert_neq(mp_testing_plan(&f.job, "stacks"), PLAN_FAILED);
	cr_assert_eq(f.job.lower_bound, LOAD * SIZE + 2);
	cr_assert_neq(mp_testing_plan(&f.job, "search"), PLAN_FAILED);
	cr_assert_eq(f.job.height, LOAD * SIZE + 2);
	mp_arena_free(&f.arena);
}

/* What search finds holds the bounds to account. It finds all that is at the
 * load. */
Test(stacks, bounds_are_no_higher_than_the_least_arena)
{
	uint32_t raised = 0, open = 0;

	for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
		struct planning f;
		uint64_t state = seed, bound;

		mp_testing_ring(
			&f, FEW_ROUNDS, mp_prng(&state) | mp_prng(&state));
		cr_assert_neq(mp_testing_plan(&f.job, "stacks"), PLAN_FAILED);
		bound = f.job.lower_bound;
		f.job = mp_testing_job(&f.problem, STEPS, &f.arena);
		cr_assert_eq(mp_testing_plan(&f.job, "dive"), PLAN_FOUND);
		cr_assert_neq(mp_testing_plan(&f.job, "search"), PLAN_FAILED);
		cr_assert_leq(bound, f.job.height, "seed %llu",
			(unsigned long long)seed);
		raised += bound > f.problem.theoretical_min;
		open += bound == f.problem.theoretical_min &&
			f.job.height > bound;
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(raised, 5);
	cr_assert_lt(raised, PROBLEMS);
	cr_assert_eq(open, 0);
}
