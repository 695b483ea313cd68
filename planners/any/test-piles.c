/*
 * piles against brute force: what it takes it proves, and nothing that is more.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random-problem.h"

struct trial {
	struct arena arena;
	struct error error;
	struct problem problem;
	struct job job;
	enum outcome outcome;
	uint64_t least; /* by brute force */
	bool exact;
};

static void try_it(struct trial *t, const struct random_shape *shape,
	uint64_t seed, uint64_t capacity)
{
	*t = (struct trial){.arena.error = &t->error};
	cr_assert(
		mp_testing_random_problem(seed, shape, &t->problem, &t->arena));
	t->least = mp_testing_brute_height(&t->problem, &t->exact, &t->arena);
	t->job = mp_testing_job(&t->problem, 20000000, &t->arena);
	t->job.capacity = capacity;
	t->outcome = mp_testing_plan(&t->job, "piles");
	cr_assert_neq(t->outcome, PLAN_FAILED, "%s", t->error.text);
	cr_assert_leq(t->job.lower_bound, t->least, "seed %llu",
		(unsigned long long)seed);
}

/* How many bounds are above the load. */
static uint32_t prove(const struct random_shape *shape)
{
	uint32_t raised = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct trial t;

		try_it(&t, shape, seed, UINT64_MAX);
		cr_assert_eq(t.outcome, PLAN_OPTIMAL, "seed %llu",
			(unsigned long long)seed);
		cr_assert_eq(t.job.height, t.job.lower_bound);
		if (t.exact)
			cr_assert_eq(t.job.height, t.least, "seed %llu",
				(unsigned long long)seed);
		raised += t.job.bound_kind == BOUND_SEARCH;
		mp_arena_free(&t.arena);
	}
	return raised;
}

Test(piles, prove_alignments)
{
	uint32_t raised = prove(&(struct random_shape){
		.buffers = 8, .aligned = true, .steps = 3, .size = 6});

	cr_assert_gt(raised, 10);
}

/* Buffers meet in pairs, at steps of their own. */
Test(piles, prove_gaps)
{
	uint32_t raised = prove(&(struct random_shape){.buffers = 8,
		.aligned = true,
		.gaps = true,
		.steps = 12,
		.size = 6});

	cr_assert_gt(raised, 10);
}

/* So do those of several streams, and those that are apart. */
Test(piles, prove_conflicts_of_any_kind)
{
	prove(&(struct random_shape){
		.buffers = 7, .aligned = true, .streams = 3, .steps = 10});
	prove(&(struct random_shape){
		.buffers = 7, .aligned = true, .apart = true, .size = 6});
	prove(&(struct random_shape){.buffers = 7,
		.aligned = true,
		.streams = 2,
		.steps = 8,
		.choices = true});
}

/* A fixed offset is a lowest position, and no higher one will do. */
Test(piles, prove_fixed_offsets)
{
	uint32_t raised = prove(&(struct random_shape){.buffers = 8,
		.aligned = true,
		.gaps = true,
		.fixed = true,
		.steps = 12,
		.size = 6});

	cr_assert_gt(raised, 10);
}

/* What has no alignments of its own needs no tables. */
Test(piles, prove_plain_ones)
{
	prove(&(struct random_shape){.buffers = 8, .steps = 12, .size = 6});
}

/* Of stacks of parts only what is alive at a step is looked at. */
Test(piles, bound_parts)
{
	uint32_t raised = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct trial t;

		try_it(&t,
			&(struct random_shape){
				.buffers = 6, .aligned = true, .parts = true},
			seed, UINT64_MAX);
		raised += t.job.bound_kind == BOUND_SEARCH;
		mp_arena_free(&t.arena);
	}
	cr_assert_gt(raised, 0);
}

Test(piles, refute_a_capacity)
{
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct random_shape shape = {
			.buffers = 8, .aligned = true, .size = 6};
		struct trial t;
		uint64_t least;

		try_it(&t, &shape, seed, UINT64_MAX);
		least = t.least;
		mp_arena_free(&t.arena);
		try_it(&t, &shape, seed, least);
		cr_assert_eq(t.outcome, PLAN_OPTIMAL);
		mp_arena_free(&t.arena);
		try_it(&t, &shape, seed, least - 1);
		cr_assert_eq(t.outcome, PLAN_NO_FIT);
		mp_arena_free(&t.arena);
	}
}
