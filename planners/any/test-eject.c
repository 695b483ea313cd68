/*
 * eject: problems of any kind, small ones against brute force, and the same
 * plans with any number of threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "testing/planning.h"
#include "testing/random-problem.h"

enum {
	TRIALS = 30,
	MOST_HELPERS = 3
};

static struct job plan(const struct problem *problem, uint64_t steps,
	struct threads *threads, struct arena *arena)
{
	struct job job = mp_testing_job(problem, steps, arena);

	job.threads = threads;
	cr_assert_neq(mp_testing_plan(&job, "eject"), PLAN_FAILED, "%s",
		arena->error->text);
	return job;
}

static void make(
	struct planning *f, const struct random_shape *shape, uint64_t seed)
{
	*f = (struct planning){.arena.error = &f->error};
	cr_assert(
		mp_testing_random_problem(seed, shape, &f->problem, &f->arena));
}

/* Rounds that are run ahead count only if those before them have failed. */
static void compare_threads(
	struct planning *f, const struct job *one, uint64_t steps)
{
	for (int helpers = 1; helpers <= MOST_HELPERS; helpers++) {
		struct threads threads;
		struct job job;

		mp_threads_init(&threads, helpers);
		job = plan(&f->problem, steps, &threads, &f->arena);
		cr_assert(mp_testing_same_plan(&job, one));
		cr_assert_eq(threads.idle, helpers);
	}
}

Test(eject, plans_are_the_same_with_threads)
{
	uint32_t lower = 0, open = 0;

	for (uint32_t k = 0; k < SHAPES_NOT_PLAIN * TRIALS; k++) {
		struct planning f;
		struct job greedy, one;
		uint64_t steps = 4000 * (1 + k / SHAPES_NOT_PLAIN % 8);

		make(&f, &mp_testing_not_plain[k % SHAPES_NOT_PLAIN], k + 1);
		greedy = mp_testing_job(&f.problem, steps, &f.arena);
		mp_testing_plan(&greedy, "greedy-size");
		one = plan(&f.problem, steps, NULL, &f.arena);
		cr_assert_leq(one.height, greedy.height);
		lower += one.height < greedy.height;
		open += one.height > one.lower_bound;
		compare_threads(&f, &one, steps);
		mp_arena_free(&f.arena);
	}
	/* Of both rounds that succeed and those that fail there are many. */
	cr_assert_gt(lower, TRIALS);
	cr_assert_gt(open, TRIALS);
}

/* A limit of memory is for one round at a time. */
Test(eject, plans_are_the_same_within_little_memory)
{
	struct threads threads;

	mp_threads_init(&threads, MOST_HELPERS);
	for (uint64_t seed = 1; seed <= TRIALS; seed++) {
		struct planning f;
		struct job one, other;
		uint64_t peak;

		make(&f, &mp_testing_not_plain[seed % SHAPES_NOT_PLAIN], seed);
		one = plan(&f.problem, 10000, NULL, &f.arena);
		peak = f.arena.peak;
		f.arena.limit = 2 * peak;
		other = plan(&f.problem, 10000, &threads, &f.arena);
		cr_assert_eq(memcmp(one.best, other.best,
				     sizeof(*one.best) * f.problem.n_buffers),
			0);
		mp_arena_free(&f.arena);
	}
}

Test(eject, finds_what_brute_force_finds)
{
	uint32_t equal = 0;

	for (uint64_t seed = 1; seed <= 10 * TRIALS; seed++) {
		struct planning f;
		struct random_shape shape =
			mp_testing_not_plain[seed % SHAPES_NOT_PLAIN];
		struct job job;
		uint64_t least;
		bool exact;

		shape.buffers = 7;
		shape.steps = 8;
		make(&f, &shape, seed);
		least = mp_testing_brute_height(&f.problem, &exact, &f.arena);
		job = plan(&f.problem, 10000, NULL, &f.arena);
		cr_assert(!exact || job.height >= least, "seed %llu",
			(unsigned long long)seed);
		equal += job.height <= least;
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(equal, 10 * TRIALS * 19 / 20, "%u", equal);
}
