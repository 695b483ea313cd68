/*
 * joins: boxes that were cut out of one, which joins and search put together.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <criterion/criterion.h>

#include "testing/boxes.h"

static const struct box whole = {0, BOX_STEPS, 0, BOX_HEIGHT};

/* The joins leave some boxes, which search can place. */
Test(joins, search_what_is_left)
{
	int solved = 0;

	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct planning f;

		mp_testing_cut_boxes(&f, whole, seed, UINT32_MAX, "joins");
		f.job.steps = 1000000;
		solved += mp_planner_joins_run(&f.job, 0) == PLAN_OPTIMAL;
		mp_arena_free(&f.arena);
	}
	cr_assert_geq(solved, 3, "%d", solved);
}

Test(joins, give_up_where_nothing_fits)
{
	struct planning f;

	mp_testing_unlike_boxes(&f, "joins");
	cr_assert_eq(mp_planner_joins_run(&f.job, 0), PLAN_FOUND);
	cr_assert_leq(f.job.spent, 20 * BOXES);
	mp_arena_free(&f.arena);
}

Test(joins, stop_at_the_capacity)
{
	for (uint64_t capacity = BOX_HEIGHT;
		capacity <= BOX_HEIGHT + BOX_HEIGHT / 8;
		capacity += BOX_HEIGHT / 8) {
		struct planning f;

		mp_testing_cut_boxes(&f, whole, 1, UINT32_MAX, "joins");
		f.job.capacity = capacity;
		f.job.steps = 1000000;
		cr_assert_eq(mp_planner_joins_run(&f.job, 0), PLAN_OPTIMAL);
		cr_assert_leq(f.job.height, capacity);
		mp_arena_free(&f.arena);
	}
}
