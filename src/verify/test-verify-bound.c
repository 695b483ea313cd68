/*
 * The bounds that a plan shows, against their definitions and brute force.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "problem/bound.h"
#include "testing/planning.h"
#include "testing/random-problem.h"
#include "testing/random.h"
#include "verify/verify.h"

static const struct random_shape shapes[] = {
	{.buffers = 7},
	{.buffers = 7, .aligned = true, .size = 6},
	{.buffers = 5, .parts = true, .aligned = true},
	{.buffers = 6, .fixed = true},
	{.buffers = 6, .streams = 3, .steps = 10},
	{.buffers = 6, .choices = true},
	{.buffers = 5, .streams = 2, .choices = true},
};

struct trial {
	struct arena arena;
	struct error error;
	struct problem problem;
	struct job job;
	struct verified_bound bound;
};

static void derive(struct trial *t)
{
	cr_assert(mp_verify_bound(
		&t->problem, NULL, t->job.best, 0, &t->bound, &t->arena));
}

static void plan_it(struct trial *t, uint64_t seed, uint32_t shape)
{
	memset(t, 0, sizeof(*t));
	t->arena.error = &t->error;
	cr_assert(mp_testing_random_problem(
		seed, &shapes[shape], &t->problem, &t->arena));
	if (t->problem.n_streams > 1 && !t->problem.choice)
		cr_assert(mp_problem_antichain(&t->problem, &t->arena));
	t->job = mp_testing_job(&t->problem, 1000, &t->arena);
	mp_testing_plan(&t->job, "greedy-size");
	cr_assert_neq(t->job.height, UINT64_MAX);
	derive(t);
}

/* The load of a step: of each choice, of which there are two of three branches,
 * the heaviest branch. */
static uint64_t load_at(const struct problem *p, uint32_t step)
{
	uint64_t load = 0, branches[2][3] = {{0}};

	for (uint32_t i = 0; i < p->n_parts; i++) {
		const struct part *part = &p->parts[i];
		uint32_t buffer = part->buffer;

		if (step < part->start || step >= part->end)
			continue;
		if (p->choice && p->choice[buffer] != UINT32_MAX)
			branches[p->choice[buffer]][p->branch[buffer]] +=
				part->size;
		else
			load += part->size;
	}
	for (uint32_t k = 0; k < 2; k++)
		load += num_max(branches[k][0],
			num_max(branches[k][1], branches[k][2]));
	return load;
}

/* The greatest load, and what a fixed offset or a size forces. */
static uint64_t least_by_definition(const struct problem *p)
{
	bool given = mp_problem_is_given(p);
	uint64_t least = 0;

	for (uint32_t step = 0; step < p->n_steps; step++)
		least = num_max(least, load_at(p, step));
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct buffer *b = &p->buffers[i];
		bool fixed = b->offset != NO_OFFSET && !given;

		least = num_max(least, b->size + (fixed ? b->offset : 0));
	}
	return least;
}

Test(verify_bound, is_a_bound)
{
	uint64_t n = mp_testing_cases(200, 1), pins = 0;

	for (uint32_t shape = 0; shape < countof(shapes); shape++)
		for (uint64_t seed = 0; seed < n; seed++) {
			struct trial t;
			bool exact;

			plan_it(&t, seed, shape);
			cr_assert_leq(t.bound.bytes,
				mp_testing_brute_height(
					&t.problem, &exact, &t.arena),
				"%u/%llu", shape, (unsigned long long)seed);
			if (t.problem.n_streams == 1)
				cr_assert_geq(t.bound.bytes,
					least_by_definition(&t.problem),
					"%u/%llu", shape,
					(unsigned long long)seed);
			if (t.bound.kind == BOUND_LOAD &&
				t.problem.n_streams == 1)
				cr_assert_eq(load_at(&t.problem, t.bound.step),
					t.bound.bytes);
			pins += t.bound.kind == BOUND_PIN;
			mp_arena_free(&t.arena);
		}
	cr_assert_gt(pins, 0);
}

/* The planners' bound, by other code. */
Test(verify_bound, is_that_of_the_planners)
{
	uint64_t n = mp_testing_cases(200, 1);

	for (uint32_t shape = 0; shape < 6; shape++)
		for (uint64_t seed = 0; seed < n; seed++) {
			struct lower_bound bound;
			struct trial t;

			plan_it(&t, seed, shape);
			cr_assert(
				mp_problem_bound(&t.problem, &bound, &t.arena));
			if (!t.problem.choice && bound.kind != BOUND_CLIQUE)
				cr_assert_eq(t.bound.bytes, bound.bytes,
					"%u/%llu", shape,
					(unsigned long long)seed);
			mp_arena_free(&t.arena);
		}
}

/* Three of one byte at multiples of 8, alive together: 8 + 8 + 1. */
Test(verify_bound, alignment_adds)
{
	struct part parts[3];
	struct buffer buffers[3];
	uint64_t offsets[3] = {0, 8, 16};
	struct trial t = {.problem = {.name = "test",
				  .alignment = 1,
				  .n_buffers = 3,
				  .n_parts = 3,
				  .n_steps = 1,
				  .n_streams = 1,
				  .buffers = buffers,
				  .parts = parts}};

	t.arena.error = &t.error;
	t.job.best = offsets;
	for (uint32_t i = 0; i < 3; i++) {
		parts[i] = (struct part){0, 1, 0, 1, i};
		buffers[i] = (struct buffer){1, 8, NO_OFFSET, 0, 1, i, 1};
	}
	derive(&t);
	cr_assert_eq(t.bound.bytes, 17);
	cr_assert_eq(t.bound.align, 8);
	cr_assert_eq(t.bound.kind, BOUND_PIN);
	buffers[1].align = 1;
	derive(&t);
	cr_assert_eq(t.bound.bytes, 9);
	mp_arena_free(&t.arena);
}
