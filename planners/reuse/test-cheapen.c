/*
 * What reuse costs, against all plans that there are of small problems.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/reuse/cheapen.h"

#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random-problem.h"
#include "testing/random.h"
#include "verify/verify.h"

enum {
	PROBLEMS =
		300, /* of each shape, unless MEMPLAN_PROBLEMS says another */
	STEPS = 1000000,
};

/* ------------------------------------------------------ brute force */

struct brute {
	const struct problem *problem;
	uint64_t limit;
	uint64_t offsets[8];
	uint64_t least;
};

/* A bit for the bank of each byte. */
static uint64_t touch(
	const struct banks *banks, uint64_t base, struct extent bytes)
{
	uint64_t touched = 0;

	for (uint64_t i = 0; i < bytes.size; i++)
		touched |= UINT64_C(1) << (base + bytes.base + i) /
						  banks->size % banks->count;
	return touched;
}

static uint64_t cost_of_pair(const struct brute *b, const struct costly_pair *c)
{
	const struct banks *banks = &b->problem->banks;
	uint64_t low = b->offsets[c->a], high = b->offsets[c->b];
	int64_t difference = (int64_t)high - (int64_t)low;

	if (banks->count > 0)
		return c->cost * (uint64_t)__builtin_popcountll(
					 touch(banks, low, c->of_a) &
					 touch(banks, high, c->of_b));
	return difference < c->below && difference > -c->above ? c->cost : 0;
}

/* Of the pairs among the first buffers. */
static uint64_t cost_of(const struct brute *b, uint32_t n)
{
	uint64_t cost = 0;

	for (uint32_t i = 0; i < b->problem->n_costs; i++)
		if (b->problem->costs[i].b < n)
			cost += cost_of_pair(b, &b->problem->costs[i]);
	return cost;
}

/* Every base of every buffer. */
static void try_all(struct brute *b, uint32_t buffer)
{
	const struct buffer *it;
	uint64_t base;

	if (cost_of(b, buffer) >= b->least)
		return;
	if (buffer == b->problem->n_buffers) {
		b->least = cost_of(b, buffer);
		return;
	}
	it = &b->problem->buffers[buffer];
	base = it->offset == NO_OFFSET ? 0 : it->offset;
	for (; base + it->size <= b->limit && b->least > 0; base += it->align) {
		b->offsets[buffer] = base;
		if (mp_testing_fits(b->problem, b->offsets, buffer))
			try_all(b, buffer + 1);
		if (it->offset != NO_OFFSET)
			return;
	}
}

/* ------------------------------------------------------------ tests */

struct tally {
	uint32_t n, costly, best, proved;
};

/* Plans the problem and makes the plan cheap, within some bytes more. */
static void make_cheap(const struct problem *problem, struct job *job,
	uint64_t more, struct cheapen *cheapen, struct arena *arena)
{
	*job = mp_testing_job(problem, STEPS, arena);
	cr_assert_neq(mp_testing_plan(job, "greedy-size"), PLAN_FAILED);
	job->steps = STEPS;
	*cheapen = (struct cheapen){.limit = job->height + more};
	cr_assert(mp_planner_cheapen(job, cheapen), "%s", job->error->text);
	cr_assert_leq(job->height, cheapen->limit);
	cr_assert_eq(job->height, mp_plan_height(problem, job->best));
	cr_assert(mp_verify(problem, job->best, MEMPLAN_NO, arena, job->error));
	cr_assert_eq(mp_planner_cost(problem, job->best), cheapen->after);
	cr_assert_leq(cheapen->after, cheapen->before);
	cr_assert_leq(cheapen->least, cheapen->after);
}

static void compare(
	uint64_t seed, const struct random_shape *shape, struct tally *tally)
{
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct brute b = {.least = UINT64_MAX};
	struct cheapen cheapen;
	struct problem problem;
	struct job job;

	cr_assert(mp_testing_random_problem(seed, shape, &problem, &arena));
	make_cheap(
		&problem, &job, seed % 3 * problem.alignment, &cheapen, &arena);
	b.problem = &problem;
	b.limit = cheapen.limit;
	try_all(&b, 0);
	cr_assert_leq(
		cheapen.least, b.least, "seed %llu", (unsigned long long)seed);
	cr_assert_geq(cheapen.after, b.least);
	tally->n++;
	tally->costly += b.least > 0;
	tally->best += cheapen.after == b.least;
	tally->proved += cheapen.after == cheapen.least;
	mp_arena_free(&arena);
}

/* All are small enough to be proved. */
static void hold(const struct random_shape *shape)
{
	struct tally tally = {0};

	for (uint64_t seed = 0; seed < mp_testing_cases(PROBLEMS, 1); seed++)
		compare(seed, shape, &tally);
	cr_log_info("%u problems, %u that cost: %u at the optimum, %u proved\n",
		tally.n, tally.costly, tally.best, tally.proved);
	cr_assert_geq(tally.costly * 20, tally.n);
	cr_assert_eq(tally.best, tally.n);
	cr_assert_eq(tally.proved, tally.n);
}

Test(cheapen, reaches_the_optimum_of_plain_problems)
{
	hold(&(struct random_shape){.buffers = 6, .size = 4, .costs = true});
}

/* Where all are equal, places may change their names. */
Test(cheapen, reaches_it_with_equal_buffers)
{
	hold(&(struct random_shape){
		.buffers = 8, .size = 1, .steps = 20, .costs = true});
}

Test(cheapen, reaches_it_with_stacks_pins_and_pairs_apart)
{
	hold(&(struct random_shape){.buffers = 5,
		.size = 3,
		.costs = true,
		.parts = true,
		.fixed = true,
		.aligned = true,
		.apart = true});
}

Test(cheapen, reaches_it_across_streams_and_branches)
{
	hold(&(struct random_shape){.buffers = 6,
		.size = 3,
		.streams = 3,
		.steps = 12,
		.costs = true,
		.choices = true});
}

Test(cheapen, reaches_the_optimum_of_banks)
{
	hold(&(struct random_shape){.buffers = 5, .size = 8, .banks = true});
}

Test(cheapen, reaches_that_of_banks_with_stacks_pins_and_pairs_apart)
{
	hold(&(struct random_shape){.buffers = 5,
		.size = 4,
		.banks = true,
		.parts = true,
		.fixed = true,
		.aligned = true,
		.apart = true});
}

Test(cheapen, reaches_that_of_banks_across_streams_and_branches)
{
	hold(&(struct random_shape){.buffers = 5,
		.size = 5,
		.streams = 3,
		.steps = 12,
		.banks = true,
		.choices = true});
}

static uint32_t n_verified;

static bool count_verified(const struct problem *p, const uint64_t *offsets,
	enum memplan_status status, struct arena *arena, struct error *e)
{
	n_verified++;
	return mp_verify(p, offsets, status, arena, e);
}

static atomic_bool stop;

static void interrupt(void *context, const struct job *job)
{
	(void)context;
	(void)job;
	atomic_store(&stop, true);
}

/* At once, or while it searches: no pair is tried any more, as each would be
 * planned again. */
static void check_interrupt(bool at_once)
{
	const struct random_shape shape = {
		.buffers = 400, .steps = 64, .size = 64, .costs = true};
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct cheapen cheapen;
	struct problem problem;
	struct job job;

	cr_assert(mp_testing_random_problem(3, &shape, &problem, &arena));
	job = mp_testing_job(&problem, STEPS, &arena);
	cr_assert_neq(mp_testing_plan(&job, "greedy-size"), PLAN_FAILED);
	job.steps = STEPS;
	atomic_store(&stop, at_once);
	n_verified = 0;
	job.spent = 0;
	job.stop = &stop;
	job.progress = interrupt;
	job.verify = count_verified;
	cheapen = (struct cheapen){.limit = job.height};
	cr_assert(mp_planner_cheapen(&job, &cheapen), "%s", error.text);
	cr_assert(job.cut_short);
	cr_assert_gt(cheapen.after, 0);
	cr_assert_leq(n_verified, 1, "%u", n_verified);
	cr_assert_eq(job.spent == 0, at_once);
	mp_arena_free(&arena);
}

Test(cheapen, ends_where_it_is_interrupted)
{
	check_interrupt(true);
	check_interrupt(false);
}

/* Too many to be proved: what is found is a plan, and its cost that of the
 * plan. */
Test(cheapen, makes_large_problems_cheaper)
{
	const struct random_shape shape = {
		.buffers = 400, .steps = 64, .size = 64, .costs = true};
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct cheapen cheapen;
	struct problem problem;
	struct job job;

	cr_assert(mp_testing_random_problem(3, &shape, &problem, &arena));
	cr_assert_gt(problem.n_buffers, 200);
	make_cheap(&problem, &job, 0, &cheapen, &arena);
	cr_assert_lt(cheapen.after, cheapen.before);
	mp_arena_free(&arena);
}
