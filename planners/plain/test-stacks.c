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
	FEW_ROUNDS = 9,
	FULL_PROBLEMS = 300,
	FULL_STEPS = 9,
	ALIVE = 6
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

/* What dies makes room for what is born, so all steps are at the load, which
 * orders often rule out. Sizes are few, so that there are duplicates, or near
 * the most that there may be. */
static void begin_full(struct planning *f, uint64_t seed)
{
	uint64_t unit = seed % 3 == 0 ? UINT64_C(1) << 52 : 1 + seed % 7;
	uint32_t least = 1 + (uint32_t)(seed % 5), size[ALIVE],
		 born[ALIVE] = {0};
	uint64_t state = seed;

	mp_testing_begin(f, ALIVE + 2 * FULL_STEPS, FULL_STEPS + 1);
	for (uint32_t i = 0; i < ALIVE; i++)
		size[i] = least + (uint32_t)mp_testing_below(&state, 4);
	for (uint32_t now = 1; now <= FULL_STEPS + 1; now++) {
		uint32_t a = (uint32_t)mp_testing_below(&state, ALIVE);
		uint32_t b =
			(a + 1 +
				(uint32_t)mp_testing_below(&state, ALIVE - 1)) %
			ALIVE;
		uint32_t sum = size[a] + size[b];

		for (uint32_t i = 0; i < ALIVE; i++) {
			if (i != a && i != b && now <= FULL_STEPS)
				continue;
			mp_testing_add(
				&f->problem, born[i], now, unit * size[i]);
			born[i] = now;
		}
		size[a] = 1 + (uint32_t)mp_testing_below(&state, sum - 1);
		size[b] = sum - size[a];
	}
	cr_assert(mp_testing_end(f, "stacks", STEPS));
}

/* Any plan holds a bound to account. */
Test(stacks, bounds_are_no_higher_than_a_plan)
{
	uint64_t n = mp_testing_cases(FULL_PROBLEMS, 1), raised = 0;

	for (uint64_t seed = 0; seed < n; seed++) {
		struct planning f;
		uint64_t bound;

		begin_full(&f, seed);
		cr_assert_neq(mp_testing_plan(&f.job, "stacks"), PLAN_FAILED);
		bound = f.job.lower_bound;
		raised += bound > f.problem.theoretical_min;
		f.job = mp_testing_job(&f.problem, STEPS, &f.arena);
		cr_assert_neq(mp_testing_plan(&f.job, "dive"), PLAN_FAILED);
		cr_assert_neq(mp_testing_plan(&f.job, "search"), PLAN_FAILED);
		cr_assert_leq(bound, f.job.height, "seed %llu",
			(unsigned long long)seed);
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(raised, n / 4);
}
