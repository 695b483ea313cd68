/*
 * Every row on random problems of every kind, against brute force. A new row is
 * tested without a new test.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "planners/planner.h"
#include "testing/planning.h"
#include "testing/random-problem.h"
#include "testing/random.h"

enum {
	PROBLEMS = 300 /* of each shape, unless MEMPLAN_PROBLEMS says another */
};

static const struct random_shape shapes[] = {
	{.buffers = 9},
	{.buffers = 7, .alignment = 512, .aligned = true},
	{.buffers = 6, .fixed = true, .aligned = true},
	{.buffers = 5, .parts = true, .aligned = true},
	{.buffers = 5, .parts = true, .fixed = true, .alignment = 64},
	{.buffers = 6, .streams = 3, .steps = 10},
	{.buffers = 4, .streams = 2, .steps = 10, .parts = true, .fixed = true},
	{.buffers = 6, .apart = true},
	{.buffers = 6, .choices = true, .aligned = true},
	{.buffers = 5, .apart = true, .choices = true, .parts = true},
	{.buffers = 5,
		.streams = 2,
		.steps = 8,
		.apart = true,
		.choices = true},
	{.buffers = 5, .streams = 2, .steps = 8, .choices = true},
};

/* Everything of one run. */
struct trial {
	struct arena arena;
	struct error error;
	struct problem problem;
	struct job job;
	enum outcome outcome;
	uint64_t least; /* by brute force */
	bool exact;
	uint64_t steps;
};

static void prepare(struct trial *t, uint64_t seed, uint32_t shape)
{
	memset(t, 0, sizeof(*t));
	t->steps = seed % 32 == 0 ? 20000 : 1000; /* most budgets end early */
	t->arena.error = &t->error;
	cr_assert(mp_testing_random_problem(
		seed, &shapes[shape], &t->problem, &t->arena));
	t->least = mp_testing_brute_height(&t->problem, &t->exact, &t->arena);
}

static void run(struct trial *t, const struct planner *row, uint64_t capacity)
{
	t->job = mp_testing_job(&t->problem, t->steps, &t->arena);
	t->job.capacity = capacity;
	t->outcome = mp_testing_plan(&t->job, row->name);
}

/* given wants every offset fixed. */
static bool applies(const struct planner *row)
{
	return strcmp(row->name, "given") != 0;
}

static void check_claims(
	const struct trial *t, const char *row, uint64_t seed, uint32_t shape)
{
	const struct job *job = &t->job;

	cr_assert_neq(t->outcome, PLAN_FAILED, "%s %u/%llu: %s", row, shape,
		(unsigned long long)seed, t->error.text);
	cr_assert_leq(job->lower_bound, t->least, "%s %u/%llu: bound %llu", row,
		shape, (unsigned long long)seed,
		(unsigned long long)job->lower_bound);
	if (job->height == UINT64_MAX) {
		cr_assert_eq(t->outcome, PLAN_GAVE_UP, "%s", row);
		return;
	}
	cr_assert_geq(job->height, t->problem.theoretical_min, "%s", row);
	if (t->exact)
		cr_assert_geq(job->height, t->least, "%s", row);
	if (t->outcome == PLAN_OPTIMAL)
		cr_assert_leq(job->height, t->least, "%s %u/%llu: claims %llu",
			row, shape, (unsigned long long)seed,
			(unsigned long long)job->height);
}

static void check_verdict(
	const struct trial *t, const char *row, uint64_t capacity)
{
	cr_assert_neq(t->outcome, PLAN_FAILED, "%s: %s", row, t->error.text);
	if (t->outcome == PLAN_NO_FIT)
		cr_assert_lt(capacity, t->least, "%s", row);
	if (t->outcome == PLAN_OPTIMAL && t->job.height > t->least)
		cr_assert_leq(t->job.height, capacity, "%s", row);
}

static void try_row(struct trial *t, const struct planner *row, uint64_t seed,
	uint32_t shape)
{
	uint64_t *first, height;

	run(t, row, UINT64_MAX);
	check_claims(t, row->name, seed, shape);
	first = t->job.best;
	height = t->job.height;
	run(t, row, UINT64_MAX);
	cr_assert_eq(t->job.height, height, "%s: not repeatable", row->name);
	cr_assert_arr_eq(
		first, t->job.best, sizeof(*first) * t->problem.n_buffers);
	run(t, row, t->least);
	check_verdict(t, row->name, t->least);
	run(t, row, t->least - 1);
	check_verdict(t, row->name, t->least - 1);
}

static void try_all_rows(uint64_t seed, uint32_t shape)
{
	struct trial t;

	prepare(&t, seed, shape);
	for (uint32_t i = 0; i < mp_n_planners; i++)
		if (applies(&mp_planners[i]))
			try_row(&t, &mp_planners[i], seed, shape);
	mp_arena_free(&t.arena);
}

Test(rows, hold_against_brute_force)
{
	for (uint32_t shape = 0; shape < countof(shapes); shape++)
		for (uint64_t seed = 0; seed < mp_testing_cases(PROBLEMS, 1);
			seed++)
			try_all_rows(seed, shape);
}

Test(rows, have_names_of_their_own)
{
	for (uint32_t i = 0; i < mp_n_planners; i++)
		cr_assert_eq(mp_planner_find(mp_planners[i].name),
			&mp_planners[i], "%s", mp_planners[i].name);
}

/* A row that needs a package is there, or the build says what it lacks. */
Test(rows, are_there_or_left_out)
{
	for (uint32_t i = 0; i < mp_n_planners; i++)
		cr_assert_not(mp_planner_left_out(mp_planners[i].name), "%s",
			mp_planners[i].name);
	cr_assert_not(mp_planner_left_out("ilpx"));
	cr_assert_neq(!mp_planner_find("ilp"), !mp_planner_left_out("ilp"));
}

/* A budget of nothing still gives a plan where the row can give one. */
Test(rows, survive_an_empty_budget)
{
	struct trial t;

	for (uint32_t i = 0; i < mp_n_planners; i++) {
		if (!applies(&mp_planners[i]))
			continue;
		prepare(&t, i, 4);
		run(&t, &mp_planners[i], UINT64_MAX);
		t.job.steps = 0;
		t.job.height = UINT64_MAX;
		t.outcome = mp_planners[i].run(&t.job, mp_planners[i].variant);
		check_claims(&t, mp_planners[i].name, i, 4);
		mp_arena_free(&t.arena);
	}
}
