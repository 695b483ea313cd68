/*
 * both-ways: at the load where one peak is sharp, and work that does not grow
 * with how many buffers are alive.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <criterion/criterion.h>

#include "planners/plain/dive.h"
#include "testing/planning.h"
#include "testing/random.h"

enum {
	LAYERS = 20000,
	RULES = 6,
	MOST_WORK = 10 /* steps a buffer and rule */
};

/* The activation of a layer lives from its step of the forward pass to that of
 * the backward pass, where a gradient is as large; a workspace for one step. */
static void begin(struct planning *f, uint32_t layers)
{
	struct problem *p = &f->problem;
	uint64_t state = 1;

	mp_testing_begin(f, 3 * layers, 2 * layers);
	for (uint32_t i = 0; i < layers; i++) {
		uint32_t back = 2 * layers - 1 - i;
		uint64_t size = 1 + mp_testing_below(&state, 5000);

		mp_testing_add(p, i, back + 1, size);
		mp_testing_add(p, i, i + 1, 1 + mp_testing_below(&state, 900));
		if (i > 0)
			mp_testing_add(p, back, back + 2, size);
	}
	cr_assert(mp_testing_end(f, "both-ways", UINT64_MAX));
}

Test(both_ways, is_at_the_load_where_one_peak_is_sharp)
{
	struct planning f;

	begin(&f, LAYERS);
	cr_assert_eq(mp_planner_both_ways_run(&f.job, 0), PLAN_OPTIMAL);
	cr_assert_eq(f.job.height, f.problem.theoretical_min);
	cr_assert_leq(
		f.job.spent, (uint64_t)MOST_WORK * RULES * f.problem.n_buffers);
	mp_arena_free(&f.arena);
}

/* The memory of a run; start: of a dive that it makes ready meanwhile. */
static uint64_t memory_beside(struct dive_start *start)
{
	struct threads threads;
	struct planning f;

	mp_threads_init(&threads, 1);
	begin(&f, LAYERS);
	f.job.threads = &threads;
	f.job.start = start;
	cr_assert_eq(mp_planner_both_ways_run(&f.job, 0), PLAN_OPTIMAL);
	mp_arena_free(&f.arena);
	return f.arena.peak;
}

Test(both_ways, counts_the_dive_that_is_made_ready)
{
	struct dive_start start = {.problem = NULL};
	uint64_t alone = memory_beside(NULL), both = memory_beside(&start);

	cr_assert(start.problem);
	cr_assert_geq(both, alone + start.arena.held / 2);
	mp_arena_free(&start.arena);
}

Test(both_ways, does_not_finish_what_is_no_better)
{
	struct planning f;

	begin(&f, 50);
	for (uint32_t i = 0; i < f.problem.n_buffers; i++)
		f.job.best[i] = i == 0 ? f.problem.theoretical_min -
						 f.problem.buffers[0].size
				       : 0;
	f.job.height = mp_plan_height(&f.problem, f.job.best);
	cr_assert_eq(f.job.height, f.problem.theoretical_min);
	cr_assert_eq(mp_planner_both_ways_run(&f.job, 0), PLAN_OPTIMAL);
	cr_assert_null(f.job.winner, "it offered a plan that is not smaller");
	mp_arena_free(&f.arena);
}

/* Both sides at once, and what follows of them. */
Test(both_ways, is_the_same_with_any_number_of_threads)
{
	uint64_t *offsets = NULL;
	struct planning one, f;

	begin(&one, LAYERS);
	cr_assert_eq(mp_planner_both_ways_run(&one.job, 0), PLAN_OPTIMAL);
	offsets = one.job.best;
	for (int helpers = 0; helpers < 4; helpers++) {
		struct threads threads;

		mp_threads_init(&threads, helpers);
		begin(&f, LAYERS);
		f.job.threads = f.arena.threads = &threads;
		cr_assert_eq(mp_planner_both_ways_run(&f.job, 0), PLAN_OPTIMAL);
		cr_assert_eq(f.job.spent, one.job.spent);
		cr_assert_arr_eq(f.job.best, offsets,
			sizeof(*offsets) * f.problem.n_buffers);
		mp_arena_free(&f.arena);
	}
	mp_arena_free(&one.arena);
}

/* Where the load is flat, its plan is far above it. */
static void begin_flat(struct planning *f)
{
	uint64_t state = 7;

	mp_testing_begin(f, LAYERS, LAYERS);
	for (uint32_t i = 0; i < LAYERS; i++) {
		uint32_t start = mp_testing_below(&state, LAYERS - 60);
		uint32_t life = 1 + mp_testing_below(&state, 60);

		mp_testing_add(&f->problem, start, start + life,
			1 + mp_testing_below(&state, 9000));
	}
	cr_assert(mp_testing_end(f, "both-ways", UINT64_MAX));
}

Test(both_ways, gives_up_what_is_far_off_unless_that_is_of_use)
{
	struct threads threads;
	struct arena_mark mark, end;
	uint64_t height;
	struct planning f;

	begin_flat(&f);
	cr_assert_eq(mp_planner_both_ways_run(&f.job, 0), PLAN_FOUND);
	cr_assert_not(mp_planner_job_near(&f.job, 64));
	height = f.job.height;
	mp_arena_free(&f.arena);
	for (int helpers = 0; helpers < 2; helpers++) {
		mp_threads_init(&threads, helpers);
		begin_flat(&f);
		f.job.threads = f.arena.threads = &threads;
		f.job.wants_near = true;
		mark = mp_arena_mark(&f.arena);
		cr_assert_eq(mp_planner_both_ways_run(&f.job, 0), PLAN_GAVE_UP);
		end = mp_arena_mark(&f.arena);
		cr_assert_eq(end.block == mark.block && end.used == mark.used,
			helpers > 0, "a dive beside it needs the memory");
		f.job.capacity = height;
		cr_assert_eq(mp_planner_both_ways_run(&f.job, 0), PLAN_OPTIMAL);
		mp_arena_free(&f.arena);
	}
}
