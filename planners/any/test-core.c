/*
 * core against exact rows: what is proved of some buffers is true of all.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random-problem.h"

/* How many bounds of 40 problems are above the load. */
static uint32_t raise(const struct random_shape *shape)
{
	uint32_t raised = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct error error = {.code = MEMPLAN_OK};
		struct arena arena = {.error = &error};
		struct problem problem;
		struct job core, exact;

		cr_assert(mp_testing_random_problem(
			seed, shape, &problem, &arena));
		exact = mp_testing_job(&problem, 60000, &arena);
		cr_assert_neq(mp_testing_plan(&exact, "orient"), PLAN_FAILED);
		core = mp_testing_job(&problem, 60000, &arena);
		cr_assert_neq(mp_testing_plan(&core, "core"), PLAN_FAILED, "%s",
			error.text);
		cr_assert_leq(core.lower_bound, exact.height, "seed %llu",
			(unsigned long long)seed);
		raised += core.lower_bound > problem.theoretical_min;
		mp_arena_free(&arena);
	}
	return raised;
}

Test(core, raise_bounds)
{
	uint32_t raised = 0;

	raised += raise(&(struct random_shape){
		.buffers = 20, .parts = true, .steps = 12, .size = 6});
	raised += raise(&(struct random_shape){.buffers = 16,
		.aligned = true,
		.gaps = true,
		.steps = 12,
		.size = 6});
	raised += raise(&(struct random_shape){
		.buffers = 9, .parts = true, .streams = 3, .apart = true});
	raised += raise(&(struct random_shape){
		.buffers = 9, .aligned = true, .fixed = true, .choices = true});
	cr_assert_gt(raised, 5);
}
