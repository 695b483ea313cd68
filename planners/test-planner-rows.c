/*
 * Every row, planner or peer, on random problems of every kind, against brute
 * force. A new row is tested without a new test.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
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
	{.buffers = 7, .gaps = true, .aligned = true},
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

/* 'given' only takes problems with all offsets fixed: see
 * keep_offsets_that_are_all_fixed. */
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
	const struct planner *row;
	struct trial t;

	prepare(&t, seed, shape);
	for (uint32_t i = 0; (row = mp_testing_row(i)); i++)
		if (applies(row))
			try_row(&t, row, seed, shape);
	mp_arena_free(&t.arena);
}

Test(rows, hold_against_brute_force)
{
	for (uint32_t shape = 0; shape < countof(shapes); shape++)
		for (uint64_t seed = 0; seed < mp_testing_cases(PROBLEMS, 1);
			seed++)
			try_all_rows(seed, shape);
}

Test(rows, have_names_and_bits_of_their_own)
{
	const struct planner *row;
	uint32_t n = 0;

	for (; (row = mp_testing_row(n)); n++) {
		cr_assert_eq(mp_planner_find(row->name), row, "%s", row->name);
		cr_assert_eq(mp_planner_find_own(row->name),
			n < mp_n_planners ? row : NULL, "%s", row->name);
		cr_assert_eq(row->bit, n < mp_n_planners ? (uint64_t)1 << n : 0,
			"%s", row->name);
	}
	cr_assert_eq(n, mp_n_planners + mp_n_peers);
	cr_assert_null(mp_planner_find("no such row"));
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

/* ----------------------------------------------------- empty budget */

/* These two end before their first attempt. */
static bool has_plan_at_once(const struct planner *row)
{
	return strcmp(row->name, "search") != 0 &&
	       strcmp(row->name, "local") != 0;
}

/* Either the row says why it takes no such problem, or there is a plan. */
static void check_empty_budget(const struct planner *row, uint32_t shape)
{
	struct trial t;

	prepare(&t, shape, shape);
	t.steps = 0;
	run(&t, row, UINT64_MAX);
	check_claims(&t, row->name, shape, shape);
	if (t.job.declined) {
		cr_assert_eq(t.outcome, PLAN_GAVE_UP, "%s", row->name);
		cr_assert_eq(t.job.height, UINT64_MAX, "%s", row->name);
	} else if (has_plan_at_once(row)) {
		cr_assert_neq(t.job.height, UINT64_MAX, "%s", row->name);
	}
	mp_arena_free(&t.arena);
}

Test(rows, give_a_plan_or_a_reason_without_a_budget)
{
	const struct planner *row;

	for (uint32_t i = 0; (row = mp_testing_row(i)); i++)
		for (uint32_t k = 0; applies(row) && k < countof(shapes); k++)
			check_empty_budget(row, k);
}

/* The verifier goes by birth: only so it is fast on very many. */
static void check_stack(const struct trial *t)
{
	const struct buffer *buffers = t->problem.buffers;
	const uint64_t *offsets = t->job.best;

	for (uint32_t i = 0; i < t->problem.n_buffers; i++)
		for (uint32_t k = 0; k < t->problem.n_buffers; k++)
			if (offsets[i] > 0 && offsets[k] > 0 &&
				buffers[i].start < buffers[k].start)
				cr_assert_lt(offsets[i], offsets[k]);
}

Test(greedy, stacks_by_birth_what_an_interrupt_leaves)
{
	const atomic_bool stop = true;
	struct trial t;

	for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
		prepare(&t, seed, 0);
		t.job = mp_testing_job(&t.problem, t.steps, &t.arena);
		t.job.stop = &stop;
		mp_testing_plan(&t.job, "greedy-size");
		cr_assert_neq(t.job.height, UINT64_MAX);
		check_stack(&t);
		mp_arena_free(&t.arena);
	}
}

/* No work for each buffer that is left. */
Test(rows, of_peers_end_at_once_at_an_interrupt)
{
	static const char *const rows[] = {
		"executorch", "somas-shared-best", "somas-shared-lowest"};
	const atomic_bool stop = true;

	for (uint32_t i = 0; i < countof(rows); i++) {
		struct trial t;

		prepare(&t, i, 0);
		t.job = mp_testing_job(&t.problem, t.steps, &t.arena);
		t.job.stop = &stop;
		mp_testing_plan(&t.job, rows[i]);
		cr_assert_neq(t.job.height, UINT64_MAX);
		cr_assert_lt(
			t.job.spent, 2 * t.problem.n_buffers, "%s", rows[i]);
		mp_arena_free(&t.arena);
	}
}

/* Rows that auto relies on for a first plan decline nothing. */
Test(rows, of_auto_take_problems_of_any_kind)
{
	for (uint32_t i = 0; i < mp_n_planners; i++) {
		const struct planner *row = &mp_planners[i];

		for (uint32_t k = 0; row->in_auto && k < countof(shapes); k++) {
			struct trial t;

			prepare(&t, i, k);
			run(&t, row, UINT64_MAX);
			cr_assert(!t.job.declined ||
					  strcmp(row->name, "dive") == 0,
				"%s", row->name);
			mp_arena_free(&t.arena);
		}
	}
}

/* ---------------------------------------------------- fixed offsets */

/* A problem with all offsets fixed, where a planner has put the buffers. */
static void prepare_fixed(struct trial *t, uint64_t seed, uint32_t shape)
{
	prepare(t, seed, shape);
	run(t, mp_planner_find("greedy-size"), UINT64_MAX);
	cr_assert_neq(t->outcome, PLAN_FAILED);
	for (uint32_t i = 0; i < t->problem.n_buffers; i++)
		t->problem.buffers[i].offset = t->job.best[i];
}

static void check_fixed(struct trial *t, const struct planner *row)
{
	run(t, row, UINT64_MAX);
	cr_assert_neq(
		t->outcome, PLAN_FAILED, "%s: %s", row->name, t->error.text);
	cr_assert((t->job.height == UINT64_MAX) == (t->job.declined != NULL),
		"%s", row->name);
	for (uint32_t i = 0; !t->job.declined && i < t->problem.n_buffers; i++)
		cr_assert_eq(t->job.best[i], t->problem.buffers[i].offset, "%s",
			row->name);
}

Test(rows, keep_offsets_that_are_all_fixed)
{
	const struct planner *row;

	for (uint32_t k = 0; k < countof(shapes); k++)
		for (uint32_t i = 0; (row = mp_testing_row(i)); i++) {
			struct trial t;

			prepare_fixed(&t, k, k);
			check_fixed(&t, row);
			cr_assert(!t.job.declined ||
					  strcmp(row->name, "given") != 0,
				"%s", row->name);
			mp_arena_free(&t.arena);
		}
}

/* The first random problem with two buffers that conflict: these two. */
static void prepare_conflict(struct trial *t, uint32_t *a, uint32_t *b)
{
	for (uint64_t seed = 0;; seed++) {
		prepare_fixed(t, seed, 0);
		for (*a = 1; *a < t->problem.n_buffers; ++*a)
			for (*b = 0; *b < *a; ++*b)
				if (mp_problem_conflict(&t->problem, *a, *b))
					return;
		mp_arena_free(&t->arena);
	}
}

Test(given, asks_for_every_offset)
{
	struct trial t;
	uint32_t a, b;

	prepare_conflict(&t, &a, &b);
	t.problem.buffers[a].offset = NO_OFFSET;
	run(&t, mp_planner_find("given"), UINT64_MAX);
	cr_assert_eq(t.outcome, PLAN_FAILED);
	cr_assert_eq(t.error.code, MEMPLAN_EINPUT);
	cr_assert(strstr(t.error.text, "has no offset"), "%s", t.error.text);
	mp_arena_free(&t.arena);
}

/* Parts are buffers here: shape 0 has one a buffer. */
Test(given, refuses_offsets_that_collide)
{
	struct trial t;
	uint32_t a, b;

	prepare_conflict(&t, &a, &b);
	t.problem.buffers[a].offset = t.problem.buffers[b].offset;
	run(&t, mp_planner_find("given"), UINT64_MAX);
	cr_assert_eq(t.outcome, PLAN_FAILED);
	cr_assert(strstr(t.error.text, "overlap"), "%s", t.error.text);
	mp_arena_free(&t.arena);
}
