/*
 * missing: what was cut out of a full problem, with some pieces missing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random.h"

enum {
	STEPS = 200,
	LIFE = 4,
	HEIGHT = 1000
};

/* Two at a time fill all; one in so many is left out. */
static void make(struct planning *f, uint32_t one_in, uint64_t *state)
{
	uint32_t part = 1 + mp_testing_below(state, HEIGHT - 1);

	mp_testing_begin(f, 2 * STEPS, STEPS);
	for (uint32_t t = 0; t < STEPS; t += LIFE) {
		bool gone = t > 0 && mp_testing_one_in(state, one_in);

		if (!gone)
			mp_testing_add(&f->problem, t, t + LIFE, part);
		mp_testing_add(&f->problem, t, t + LIFE, HEIGHT - part);
		part = 1 + mp_testing_below(state, HEIGHT - 1);
	}
	cr_assert(mp_testing_end(f, "missing", 1000000));
	cr_assert_eq(f->problem.theoretical_min, HEIGHT);
}

Test(missing, are_filled)
{
	uint32_t n_found = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct planning f;
		uint64_t state = seed;

		make(&f, 30, &state);
		n_found += mp_testing_plan(&f.job, "missing") == PLAN_OPTIMAL;
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(n_found, 10);
}

Test(missing, are_few)
{
	struct planning f;
	uint64_t state = 1;

	make(&f, 2, &state);
	cr_assert_eq(mp_testing_plan(&f.job, "missing"), PLAN_GAVE_UP);
	cr_assert_not_null(f.job.declined);
	mp_arena_free(&f.arena);
}

/* A full problem is not its own. */
Test(missing, are_there)
{
	struct planning f;

	mp_testing_begin(&f, 20, 1);
	for (uint32_t i = 0; i < 20; i++)
		mp_testing_add(&f.problem, 0, 1, 7);
	cr_assert(mp_testing_end(&f, "missing", 1000));
	cr_assert_eq(mp_testing_plan(&f.job, "missing"), PLAN_GAVE_UP);
	mp_arena_free(&f.arena);
}

/* One piece after the other that is a little smaller than the last. */
Test(missing, are_too_many_bytes)
{
	struct planning f;

	mp_testing_begin(&f, 2000, 41);
	mp_testing_add(&f.problem, 0, 1, UINT64_C(1) << 60);
	for (uint32_t t = 1; t < 40; t++)
		mp_testing_add(&f.problem, t, 41, 1);
	for (uint32_t i = 0; i < 1000; i++)
		mp_testing_add(&f.problem, 0, 41, 1);
	cr_assert(mp_testing_end(&f, "missing", 1000));
	cr_assert_eq(mp_testing_plan(&f.job, "missing"), PLAN_GAVE_UP);
	mp_arena_free(&f.arena);
}
