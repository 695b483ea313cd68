/*
 * crux: micro-batches of which three are alive at a time. Each has a large
 * buffer and a small one. At the peak of each, its small one has died, and a
 * workspace as large as a large one is needed: it can lie where the last one
 * was, shifted over the place of the small one, if that was beside it. That
 * goes on for nine peaks.
 *
 * SPDX-License-Identifier: MIT
 */

#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random.h"

enum {
	ALIVE = 3,  /* micro-batches at a time */
	PERIOD = 8, /* steps: at 0 a small one lives more, at 4 is the peak */
	LARGE = 100,
	SMALL = 33,
	LOAD = ALIVE * LARGE + LARGE + (ALIVE - 1) * SMALL,
	OTHERS = 6, /* small ones between two peaks */
	MOST_PEAKS = 10,
	MOST = (MOST_PEAKS + ALIVE) * 2 + MOST_PEAKS * (1 + OTHERS),
	STEPS = 2000000,
	MANY = 4100, /* enough for several threads */
	HILL = 150,  /* steps */
	HILLS = 12
};

static void begin(struct planning *f, uint32_t peaks)
{
	struct problem *p = &f->problem;
	uint32_t last = (peaks - 1) * PERIOD + PERIOD / 2 + 1;
	uint64_t state = 1;

	mp_testing_begin(f, MOST, peaks * PERIOD);
	for (uint32_t m = 0; m < peaks + ALIVE - 1; m++) {
		uint32_t start = m < ALIVE ? 0 : (m - ALIVE + 1) * PERIOD;
		uint32_t end = m * PERIOD + 1;

		mp_testing_add(p, start, (uint32_t)num_min(end, last), SMALL);
		mp_testing_add(p, start,
			(uint32_t)num_min(end + PERIOD / 2, last), LARGE);
	}
	for (uint32_t t = PERIOD / 2; t < peaks * PERIOD; t += PERIOD) {
		mp_testing_add(p, t, t + 1, LARGE);
		for (uint32_t k = 0; k < OTHERS; k++)
			mp_testing_add(p, t + 2, t + 3,
				1 + mp_testing_below(&state, 5));
	}
	cr_assert_leq(p->n_buffers, MOST);
	cr_assert(mp_testing_end(f, "crux", STEPS));
	cr_assert_eq(p->theoretical_min, LOAD);
}

Test(crux, places_the_rest_around_it)
{
	struct planning f;

	begin(&f, MOST_PEAKS - 1);
	cr_assert_eq(mp_testing_plan(&f.job, "crux"), PLAN_OPTIMAL);
	cr_assert_eq(f.job.height, LOAD);
	cr_assert_eq(f.job.bound_kind, BOUND_LOAD);
	mp_arena_free(&f.arena);
}

/* What is refuted in some sections is refuted. In the whole search has not
 * found that after as much work. */
Test(crux, its_bound_holds_for_all)
{
	struct planning f;

	begin(&f, MOST_PEAKS);
	cr_assert_eq(mp_testing_plan(&f.job, "search"), PLAN_FOUND);
	cr_assert_eq(f.job.lower_bound, LOAD);
	f.job = mp_testing_job(&f.problem, STEPS, &f.arena);
	cr_assert_eq(mp_testing_plan(&f.job, "crux"), PLAN_OPTIMAL);
	cr_assert_eq(f.job.height, LOAD + SMALL);
	cr_assert_eq(f.job.lower_bound, LOAD + SMALL);
	cr_assert_eq(f.job.bound_kind, BOUND_SEARCH);
	mp_arena_free(&f.arena);
}

Test(crux, a_plan_that_fits_is_enough)
{
	struct planning f;

	begin(&f, MOST_PEAKS);
	f.job.capacity = LOAD + SMALL;
	cr_assert_eq(mp_testing_plan(&f.job, "crux"), PLAN_OPTIMAL);
	cr_assert_leq(f.job.height, LOAD + SMALL);
	mp_arena_free(&f.arena);
}

Test(crux, ends_with_its_budget)
{
	struct planning f;

	begin(&f, MOST_PEAKS);
	f.job.steps = 1;
	cr_assert_eq(mp_testing_plan(&f.job, "crux"), PLAN_FOUND);
	cr_assert_eq(f.job.steps, 0);
	mp_arena_free(&f.arena);
}

/* Hills of load; between two of them is a run. */
static void make_hills(struct planning *f, uint64_t seed)
{
	uint64_t state = seed;

	mp_testing_begin(f, MANY, HILLS * HILL);
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t middle =
			mp_testing_below(&state, HILLS) * HILL + HILL / 2;
		uint32_t start = middle - mp_testing_below(&state, HILL / 2);
		uint64_t size;

		if (i % 3 == 0)
			start = mp_testing_below(&state, HILLS * HILL - 30);
		size = 1 + mp_testing_below(&state, 500);
		mp_testing_add(&f->problem, start,
			start + 1 + mp_testing_below(&state, 30), size);
	}
	cr_assert(mp_testing_end(f, "crux", STEPS));
}

/* Runs are filled at one time, and some again. */
Test(crux, plans_are_the_same_with_threads)
{
	static const uint64_t budgets[] = {20000, 60000, 150000};
	struct planning f;

	for (uint32_t i = 0; i < 2 * countof(budgets); i++) {
		uint64_t steps = budgets[i / 2];
		struct job one;

		make_hills(&f, i);
		one = mp_testing_job(&f.problem, steps, &f.arena);
		mp_testing_plan(&one, "crux");
		for (int helpers = 1; helpers <= 3; helpers += 2) {
			struct threads threads;
			struct job job =
				mp_testing_job(&f.problem, steps, &f.arena);

			mp_threads_init(&threads, helpers);
			job.threads = &threads;
			mp_testing_plan(&job, "crux");
			cr_assert(mp_testing_same_plan(&job, &one));
		}
		mp_arena_free(&f.arena);
	}
}
