/*
 * settle: alignments against a greedy row, any other kind, sizes that cannot be
 * padded, and the same plans with any number of threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random-problem.h"

enum {
	TRIALS = 20,
	MOST_HELPERS = 3,
	STEPS = 2000000
};

static uint64_t plan(
	const struct problem *problem, const char *row, struct arena *arena)
{
	struct job job = mp_testing_job(problem, STEPS, arena);

	cr_assert_neq(mp_testing_plan(&job, row), PLAN_FAILED, "%s",
		arena->error->text);
	cr_assert_geq(job.height, job.lower_bound);
	return job.height;
}

/* What plans of that row take above the load, of all trials together. */
static uint64_t excess(const struct random_shape *shape, const char *row)
{
	uint64_t sum = 0;

	for (uint64_t seed = 1; seed <= TRIALS; seed++) {
		struct planning f = {.arena.error = &f.error};

		cr_assert(mp_testing_random_problem(
			seed, shape, &f.problem, &f.arena));
		sum += plan(&f.problem, row, &f.arena) -
		       f.problem.theoretical_min;
		mp_arena_free(&f.arena);
	}
	return sum;
}

Test(settle, knows_what_lies_on_what)
{
	static const struct random_shape shape = {
		.buffers = 200, .steps = 40, .size = 100, .aligned = true};

	cr_assert_lt(
		2 * excess(&shape, "settle"), excess(&shape, "greedy-size"));
}

Test(settle, takes_any_kind)
{
	for (uint32_t k = 0; k < SHAPES_NOT_PLAIN; k++)
		excess(&mp_testing_not_plain[k], "settle");
}

/* As they are they are less than 2^62 bytes, padded they are more. */
Test(settle, sizes_that_cannot_be_padded)
{
	uint64_t align = UINT64_C(1) << 30, half = UINT64_C(1) << 61;
	struct planning f;

	mp_testing_begin(&f, 3, 2);
	mp_testing_add(&f.problem, 0, 1, half - align / 2);
	mp_testing_add(&f.problem, 0, 1, half - align / 2);
	mp_testing_add(&f.problem, 1, 2, align / 2);
	for (uint32_t i = 0; i < 3; i++)
		f.problem.buffers[i].align = align;
	cr_assert(mp_testing_end(&f, "settle", STEPS));
	cr_assert_neq(mp_testing_plan(&f.job, "settle"), PLAN_FAILED, "%s",
		f.error.text);
	cr_assert_eq(f.job.height, 2 * half - align / 2);
	mp_arena_free(&f.arena);
}

/* Reserved ranges have no alignment and any size. Padded they are blocks, of
 * which no bound is more than a plan takes. */
Test(settle, reserved_ranges_are_blocks_too)
{
	enum {
		BLOCKS = 10,
		SMALL = 4,
		ALIGN = 8
	};
	struct planning f;
	struct problem *p = &f.problem;

	mp_testing_begin(&f, BLOCKS + SMALL + 2, 2);
	p->alignment = ALIGN;
	for (uint32_t i = 0; i < BLOCKS + SMALL; i++) {
		mp_testing_add(p, i >= BLOCKS, 1 + (i >= BLOCKS), 5 * ALIGN);
		p->buffers[i].align = ALIGN;
	}
	mp_testing_add(p, 0, 2, 4);
	mp_testing_add(p, 0, 2, 43);
	p->buffers[BLOCKS + SMALL].offset = 100;
	p->buffers[BLOCKS + SMALL + 1].offset = 264;
	cr_assert(mp_testing_end(&f, "settle", STEPS));
	p->first_reserved = BLOCKS + SMALL;
	p->n_reserved = 2;
	cr_assert_neq(mp_testing_plan(&f.job, "settle"), PLAN_FAILED, "%s",
		f.error.text);
	cr_assert_eq(f.job.height, 472);
	mp_arena_free(&f.arena);
}

static struct job plan_with(
	struct planning *f, uint64_t steps, struct threads *threads)
{
	struct job job = mp_testing_job(&f->problem, steps, &f->arena);

	job.threads = threads;
	cr_assert_neq(mp_testing_plan(&job, "settle"), PLAN_FAILED, "%s",
		f->error.text);
	return job;
}

/* With few steps the second way has less than its share, and is run again. */
Test(settle, plans_are_the_same_with_threads)
{
	static const struct random_shape shape = {
		.buffers = 60, .steps = 20, .size = 100, .aligned = true};

	for (uint64_t seed = 1; seed <= 2 * TRIALS; seed++) {
		struct planning f = {.arena.error = &f.error};
		uint64_t steps = 300 << seed % 10;
		struct job one;

		cr_assert(mp_testing_random_problem(
			seed, &shape, &f.problem, &f.arena));
		one = plan_with(&f, steps, NULL);
		for (int helpers = 1; helpers <= MOST_HELPERS; helpers++) {
			struct threads threads;
			struct job job;

			mp_threads_init(&threads, helpers);
			job = plan_with(&f, steps, &threads);
			cr_assert(mp_testing_same_plan(&job, &one));
			mp_threads_free(&threads);
		}
		mp_arena_free(&f.arena);
	}
}
