/*
 * ilp against brute force, and the linear program as a file.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "testing/planning.h"
#include "testing/random-problem.h"

struct trial {
	struct arena arena;
	struct error error;
	struct problem problem;
	struct job job;
};

static enum outcome run_for(struct trial *t, const char *name, uint64_t steps)
{
	t->job = mp_testing_job(&t->problem, steps, &t->arena);
	return mp_testing_plan(&t->job, name);
}

static enum outcome run(struct trial *t, const char *name)
{
	return run_for(t, name, UINT64_C(2000000000));
}

/* GLPK's work alone, from the plan that is the easiest to beat. */
static enum outcome run_alone(struct trial *t)
{
	enum outcome outcome = run(t, "linear");

	if (outcome != PLAN_FOUND)
		return outcome;
	return mp_testing_plan(&t->job, "ilp");
}

static void agree(const struct random_shape *shape, uint64_t problems)
{
	for (uint64_t seed = 1; seed <= problems; seed++) {
		struct trial t = {0};
		uint64_t least;
		bool exact;

		t.arena.error = &t.error;
		cr_assert(mp_testing_random_problem(
			seed, shape, &t.problem, &t.arena));
		least = mp_testing_brute_height(&t.problem, &exact, &t.arena);
		cr_assert_neq(run_alone(&t), PLAN_FAILED, "%s", t.error.text);
		if (exact)
			cr_assert_eq(t.job.height, least,
				"seed %llu: %llu, brute force %llu",
				(unsigned long long)seed,
				(unsigned long long)t.job.height,
				(unsigned long long)least);
		else
			cr_assert_leq(t.job.height, least, "seed %llu",
				(unsigned long long)seed);
		mp_arena_free(&t.arena);
	}
}

Test(ilp, finds_the_least_height)
{
	agree(&(struct random_shape){.buffers = 6}, 60);
}

Test(ilp, finds_it_with_alignment_parts_and_pins)
{
	agree(&(struct random_shape){.buffers = 5,
		      .aligned = true,
		      .parts = true,
		      .fixed = true,
		      .alignment = 16},
		60);
}

Test(ilp, finds_it_with_pairs_apart_branches_and_streams)
{
	agree(&(struct random_shape){.buffers = 6, .apart = true}, 60);
	agree(&(struct random_shape){.buffers = 6, .choices = true}, 60);
	agree(&(struct random_shape){.buffers = 6, .streams = 3}, 60);
	agree(&(struct random_shape){.buffers = 5,
		      .parts = true,
		      .fixed = true,
		      .apart = true,
		      .choices = true,
		      .streams = 2},
		100);
}

Test(ilp, says_when_it_is_too_much)
{
	struct trial t = {0};
	struct buffer buffers[100];
	struct part parts[100];

	t.arena.error = &t.error;
	t.problem = (struct problem){.name = "crowd",
		.alignment = 1,
		.n_buffers = 100,
		.n_parts = 100,
		.n_steps = 1,
		.n_streams = 1,
		.buffers = buffers,
		.parts = parts};
	for (uint32_t i = 0; i < 100; i++) {
		parts[i] = (struct part){0, 1, 0, 1, i};
		buffers[i] = (struct buffer){1, 1, NO_OFFSET, 0, 1, i, 1};
	}
	cr_assert(mp_problem_measure(&t.problem, &t.arena, &t.error));
	cr_assert_eq(run(&t, "ilp"), PLAN_FAILED);
	cr_assert(strstr(t.error.text, "too large"), "%s", t.error.text);
	mp_arena_free(&t.arena);
}

/* Two exact rows that share nothing. */
Test(ilp, agrees_with_search)
{
	struct random_shape shape = {.buffers = 14, .steps = 12, .size = 12};
	uint32_t proved = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct trial t = {0};
		uint64_t height;

		t.arena.error = &t.error;
		cr_assert(mp_testing_random_problem(
			seed, &shape, &t.problem, &t.arena));
		proved += run(&t, "search") == PLAN_OPTIMAL;
		height = t.job.height;
		cr_assert_neq(run_alone(&t), PLAN_FAILED, "%s", t.error.text);
		cr_assert_eq(t.job.height, height, "seed %llu: %llu, %llu",
			(unsigned long long)seed,
			(unsigned long long)t.job.height,
			(unsigned long long)height);
		mp_arena_free(&t.arena);
	}
	cr_assert_eq(proved, 300, "search proved %u", proved);
}

/* With the effort that is the default. */
Test(ilp, is_never_above_auto)
{
	struct random_shape shape = {
		.buffers = 30, .steps = 30, .size = 200, .aligned = true};

	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct trial t = {0};
		uint64_t height;

		t.arena.error = &t.error;
		cr_assert(mp_testing_random_problem(
			seed, &shape, &t.problem, &t.arena));
		cr_assert_neq(run_for(&t, "auto", 500000), PLAN_FAILED);
		height = t.job.height;
		cr_assert_neq(run_for(&t, "ilp", 2000000), PLAN_FAILED);
		cr_assert_leq(t.job.height, height, "seed %llu",
			(unsigned long long)seed);
		mp_arena_free(&t.arena);
	}
}
