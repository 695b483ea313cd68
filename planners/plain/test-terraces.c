/*
 * terraces: plans of uneven loads, at the bound where dives are not, and of
 * small problems, never below what is possible.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random.h"

enum {
	PROBLEMS = 200,
	BUFFERS = 2000,
	TIME = 4000,	    /* steps */
	LONGEST = 240,	    /* greatest lifetime, in steps */
	GREATEST = 1000000, /* greatest size, in bytes */
	LAST = 100	    /* steps that the last buffer takes at most */
};

/* Lifetimes and sizes by chance, of which dive's plan is above the load. */
static void begin(struct planning *f, uint64_t seed)
{
	mp_testing_begin(f, BUFFERS, TIME + LONGEST);
	for (uint32_t i = 0; i < BUFFERS; i++) {
		uint32_t start = mp_testing_below(&seed, TIME);
		uint32_t size = 1 + mp_testing_below(&seed, GREATEST);

		mp_testing_add(&f->problem, start,
			start + 1 + mp_testing_below(&seed, LONGEST), size);
	}
	cr_assert(mp_testing_end(f, "terraces", UINT64_MAX));
	cr_assert_eq(mp_testing_plan(&f->job, "dive"), PLAN_FOUND);
	cr_assert_gt(f->job.height, f->job.lower_bound);
}

Test(terraces, reach_the_load_where_it_is_uneven)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct planning f;

		begin(&f, seed);
		f.job.steps = 2000 * BUFFERS;
		cr_assert_eq(mp_testing_plan(&f.job, "terraces"), PLAN_OPTIMAL);
		cr_assert_str_eq(f.job.winner, "terraces");
		cr_assert_eq(f.job.height, f.problem.theoretical_min);
		mp_arena_free(&f.arena);
	}
}

Test(terraces, are_done_where_the_capacity_suffices)
{
	struct planning f;

	begin(&f, 1);
	f.job.capacity = (f.job.height + f.job.lower_bound) / 2;
	cr_assert_eq(mp_testing_plan(&f.job, "terraces"), PLAN_OPTIMAL);
	cr_assert_leq(f.job.height, f.job.capacity);
	mp_arena_free(&f.arena);
}

/* Also within a terrace. */
Test(terraces, end_with_their_budget)
{
	struct planning f;
	uint64_t spent;

	begin(&f, 1);
	for (uint64_t steps = 1; steps <= BUFFERS; steps *= 4) {
		spent = f.job.spent;
		f.job.steps = steps;
		cr_assert_neq(mp_testing_plan(&f.job, "terraces"), PLAN_FAILED);
		cr_assert_leq(f.job.spent - spent, steps + LAST);
	}
	mp_arena_free(&f.arena);
}

/* The verifier looks at each plan. */
Test(terraces, of_small_problems_are_never_below_the_optimum)
{
	uint64_t n = mp_testing_cases(PROBLEMS, 10);

	cr_assert_gt(mp_testing_count_least("terraces", n), n * 9 / 10);
}
