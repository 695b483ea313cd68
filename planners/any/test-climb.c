/*
 * Hill climbing where memory is out.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "planners/any/climb.h"
#include "testing/planning.h"

enum {
	CROWD = 100, /* buffers that are alive together */
	STEPS = 100000,
	LITTLE = 16 /* bytes */
};

static uint64_t swap_first(void *context, uint32_t i)
{
	struct climb *climb = context;

	mp_planner_climb_swap(climb, i, i + 1);
	return mp_planner_climb_try(climb, UINT64_MAX - 1);
}

static void take_all_memory(struct planning *p)
{
	p->arena.limit = p->arena.held;
	while (NEW(&p->arena, char, LITTLE))
		continue;
	p->error.code = MEMPLAN_OK;
}

/* It fails at once, and does not go on with what it could not enlarge. */
Test(climb, fails_where_memory_is_out)
{
	static const enum rank_key keys[RANK_KEYS] = {RANK_SIZE};
	struct planning p;
	struct climb climb;

	mp_testing_begin(&p, CROWD, 1);
	for (uint32_t i = 0; i < CROWD; i++)
		mp_testing_add(&p.problem, 0, 1, 1 + i);
	cr_assert(mp_testing_end(&p, "climb", STEPS));
	cr_assert(mp_planner_climb_init(&climb, &p.job, keys));
	p.job.lower_bound = 0; /* it is to go on */
	take_all_memory(&p);
	cr_assert_eq(mp_planner_climb_on(&climb, CROWD / 2, swap_first, &climb),
		PLAN_FAILED);
	cr_assert_eq(p.error.code, MEMPLAN_ENOMEM);
	cr_assert_eq(p.job.height, p.problem.theoretical_min);
	mp_arena_free(&p.arena);
}
