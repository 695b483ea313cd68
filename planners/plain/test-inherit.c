/*
 * inherit: what repeats lies where it lay before, if nothing needs that room.
 *
 * SPDX-License-Identifier: MIT
 */

#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random.h"

enum {
	WAVES = 50,
	PERIOD = 10,
	SIZE = 30, /* of the buffer that each wave begins with */
	MOST = 80
};

/* Of a wave the second buffer has another size each time, and never that of the
 * first. Between two of these one of `between` bytes is alive; 0: none. */
static void begin(struct planning *f, uint64_t between)
{
	struct problem *p = &f->problem;
	uint64_t state = 1;

	mp_testing_begin(f, 3 * WAVES, WAVES * PERIOD);
	for (uint32_t t = 0; t < WAVES * PERIOD; t += PERIOD) {
		uint64_t size = 1 + mp_testing_below(&state, MOST - SIZE);

		mp_testing_add(p, t, t + 6, SIZE);
		mp_testing_add(p, t + 2, t + 9,
			t == 0 ? MOST - SIZE : size + (size == SIZE));
		if (between > 0)
			mp_testing_add(p, t + 9, t + PERIOD, between);
	}
	cr_assert(mp_testing_end(f, "inherit", 1000000));
	cr_assert_eq(p->theoretical_min, MOST);
}

/* Do the first buffers of all waves lie at one offset? */
static bool is_at_one_offset(const struct planning *f)
{
	const struct problem *p = &f->problem;
	bool one = true;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		one &= p->buffers[i].start % PERIOD != 0 ||
		       f->job.best[i] == f->job.best[0];
	return one;
}

Test(inherit, what_repeats_lies_where_it_lay)
{
	struct planning f;

	begin(&f, 0);
	cr_assert_eq(mp_testing_plan(&f.job, "dive"), PLAN_OPTIMAL);
	cr_assert_not(is_at_one_offset(&f));
	f.job = mp_testing_job(&f.problem, 1000000, &f.arena);
	cr_assert_eq(mp_testing_plan(&f.job, "inherit"), PLAN_OPTIMAL);
	cr_assert(is_at_one_offset(&f));
	mp_arena_free(&f.arena);
}

/* A chain that kept its room would be above the load. */
Test(inherit, only_what_the_load_allows)
{
	struct planning f;

	begin(&f, MOST);
	cr_assert_eq(mp_testing_plan(&f.job, "inherit"), PLAN_OPTIMAL);
	cr_assert_eq(f.job.height, MOST);
	mp_arena_free(&f.arena);
}

Test(inherit, gives_up_where_nothing_repeats)
{
	struct planning f;

	begin(&f, 0);
	for (uint32_t i = 0; i < f.problem.n_buffers; i++) {
		f.problem.buffers[i].size = i + 1;
		f.problem.parts[i].size = i + 1;
	}
	cr_assert(mp_problem_measure(&f.problem, &f.arena, &f.error));
	f.job = mp_testing_job(&f.problem, 1000000, &f.arena);
	cr_assert_eq(mp_testing_plan(&f.job, "linear"), PLAN_FOUND);
	f.job.winner = NULL;
	cr_assert_eq(mp_testing_plan(&f.job, "inherit"), PLAN_GAVE_UP);
	cr_assert_null(f.job.winner);
	mp_arena_free(&f.arena);
}
