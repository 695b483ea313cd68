/*
 * stacks: its bounds are true, and above the load where orders of what is alive
 * run out.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random.h"

enum {
	PROBLEMS = 40,
	STEPS = 30000,
	SIZE = 32, /* of the smallest buffer of a ring, but for bytes */
	LOAD = 13, /* of a ring, in such sizes */
	ROUNDS = 40,
	FEW_ROUNDS = 9
};

/* Blocks go round a ring: three are there, and two sums. Between any two rounds
 * four sizes are free, of which a scratch buffer needs three, in the rounds of
 * the mask, or two. A byte comes with each sum. */
static void begin_ring(struct planning *f, uint32_t rounds, uint64_t mask)
{
	uint32_t end = 2 * rounds + 6;

	mp_testing_begin(f, 4 * rounds + 2, end);
	mp_testing_add(&f->problem, 0, end, 2 * SIZE);
	mp_testing_add(&f->problem, 0, end, SIZE);
	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t t = 2 * i + 1;

		mp_testing_add(&f->problem, t, t + 3, 2 * SIZE);
		mp_testing_add(&f->problem, t, t + 3, 1);
		mp_testing_add(&f->problem, t, t + 5, 2 * SIZE);
		mp_testing_add(&f->problem, t + 1, t + 2,
			(mask >> i % 64 & 1 ? 3 : 2) * SIZE);
	}
	cr_assert(mp_testing_end(f, "stacks", UINT64_MAX));
	f->job.steps = 30 * STEPS;
}

Test(stacks, refute_a_ring_that_has_too_little_room_between_rounds)
{
	struct planning f;

	begin_ring(&f, ROUNDS, UINT64_MAX);
	cr_assert_eq(f.job.lower_bound, LOAD * SIZE + 2);
	cr_assert_neq(mp_testing_plan(&f.job, "stacks"), PLAN_FAILED);
	cr_assert_eq(f.job.lower_bound, (LOAD + 1) * SIZE);
	cr_assert_eq(f.job.bound_kind, BOUND_SEARCH);
	mp_arena_free(&f.arena);
}

Test(stacks, refute_no_ring_that_has_room)
{
	struct planning f;

	begin_ring(&f, ROUNDS, 0);
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

		begin_ring(&f, FEW_ROUNDS, mp_prng(&state) | mp_prng(&state));
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
