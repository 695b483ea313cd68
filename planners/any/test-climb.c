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

enum {
	LAYERS = 40,
	ALIGNED = 4, /* every fourth buffer, to 64 bytes */
	ENOUGH = 400 /* bytes that any order fits */
};

/* Buffers of odd sizes, three or four alive at a time, some with an alignment.
 */
static bool begin_layers(struct planning *p)
{
	mp_testing_begin(p, LAYERS, LAYERS + 3);
	for (uint32_t i = 0; i < LAYERS; i++) {
		mp_testing_add(
			&p->problem, i, i + 2 + i % 2, LITTLE + i * 37 % 101);
		if (i % ALIGNED == 0)
			p->problem.buffers[i].align = 64;
	}
	return mp_testing_end(p, "settle", STEPS);
}

/* Without keys no buffer begins above where it is in the best plan. */
Test(climb, begins_with_the_best_plan)
{
	struct planning p;
	struct climb climb;
	uint64_t height;

	cr_assert(begin_layers(&p));
	cr_assert_neq(mp_testing_plan(&p.job, "settle"), PLAN_FAILED);
	height = p.job.height;
	cr_assert(mp_planner_climb_init(&climb, &p.job, NULL));
	cr_assert_leq(climb.height, height);
	for (uint32_t i = 0; i < LAYERS; i++)
		cr_assert_leq(climb.kept[i], p.job.best[i]);
	mp_arena_free(&p.arena);
}

/* What the row begins with behind that one: it ends at the first plan that
 * fits. */
static uint64_t height_behind(const char *row)
{
	struct planning p;
	uint64_t height;

	cr_assert(begin_layers(&p));
	cr_assert(mp_problem_is_aligned(&p.problem));
	if (row)
		cr_assert_neq(mp_testing_plan(&p.job, row), PLAN_FAILED);
	p.job.capacity = ENOUGH;
	cr_assert_neq(mp_testing_plan(&p.job, "climb"), PLAN_FAILED);
	height = p.job.height;
	mp_arena_free(&p.arena);
	return height;
}

Test(climb, goes_on_from_a_plan_where_alignments_differ)
{
	struct planning p;
	struct climb climb;

	cr_assert(begin_layers(&p));
	cr_assert_neq(mp_testing_plan(&p.job, "linear"), PLAN_FAILED);
	cr_assert(mp_planner_climb_init(&climb, &p.job, NULL));
	cr_assert_eq(height_behind("linear"), climb.height);
	cr_assert_neq(height_behind(NULL), climb.height);
	mp_arena_free(&p.arena);
}
