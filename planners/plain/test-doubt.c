/*
 * Doubts of few sizes and lifetimes, counted by hand.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/doubt.h"

#include <criterion/criterion.h>

#include "testing/planning.h"

/* Six begin at two steps. Sizes 64 and 65 share a bucket, 9 has one of its
 * own; lifetimes are of three steps, but for one of twelve. */
Test(doubt, counts_what_is_alike)
{
	static const uint64_t sizes[] = {64, 64, 65, 64, 9, 9};
	struct planning f;
	struct compounds c;
	struct doubts doubts;

	mp_testing_begin(&f, countof(sizes), 20);
	for (uint32_t i = 0; i < countof(sizes); i++)
		mp_testing_add(
			&f.problem, i % 2, i == 5 ? 13 : i % 2 + 3, sizes[i]);
	cr_assert(mp_testing_end(&f, "jigsaw", 1000));
	cr_assert(mp_planner_compounds_init(&c, &f.problem, &f.arena));
	cr_assert(mp_planner_doubts_init(&doubts, c.n_buffers, &f.arena));
	mp_planner_doubts_find(&doubts, &c);
	/* Four of two sizes, two of one: of each size two, or one a step. */
	cr_assert_eq(
		mp_planner_doubt_of(&doubts, &c.at[0], JOIN_CHAIN), DOUBT_ONE);
	cr_assert_eq(
		mp_planner_doubt_of(&doubts, &c.at[4], JOIN_CHAIN), DOUBT_ONE);
	cr_assert_eq(mp_planner_doubt_of(&doubts, &c.at[0], JOIN_STACK),
		5 * DOUBT_ONE / 2);
	cr_assert_eq(mp_planner_doubt_of(&doubts, &c.at[5], JOIN_STACK),
		DOUBT_ONE / 2);
	cr_assert_eq(mp_planner_doubt_of(&doubts, &c.at[0], JOIN_FILL), 0);
	mp_arena_free(&f.arena);
}
