/*
 * What stays, against all plans that there are of small problems.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/near/near.h"

#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random-problem.h"
#include "testing/random.h"
#include "verify/verify.h"

enum {
	PROBLEMS =
		300, /* of each shape, unless MEMPLAN_PROBLEMS says another */
	STEPS = 200000,
	MOST_OLD = 16,
};

/* ------------------------------------------------------ brute force */

struct brute {
	const struct problem *problem;
	const struct near_plan *near;
	uint64_t offsets[8];
	uint64_t most; /* bytes that stay in some plan */
};

/* Bytes that stay of the first buffers, and at most of the others. */
static uint64_t bytes_of(const struct brute *b, uint32_t n)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < b->near->n_old; i++) {
		const struct old_base *old = &b->near->old[i];

		if (old->buffer >= n || b->offsets[old->buffer] == old->base)
			bytes += old->bytes;
	}
	return bytes;
}

/* Every base of every buffer. */
static void try_all(struct brute *b, uint32_t buffer)
{
	const struct buffer *it = &b->problem->buffers[buffer];
	uint64_t base = it->offset == NO_OFFSET ? 0 : it->offset;

	if (bytes_of(b, buffer) <= b->most)
		return;
	if (buffer == b->problem->n_buffers) {
		b->most = bytes_of(b, buffer);
		return;
	}
	for (; base + it->size <= b->near->limit; base += it->align) {
		b->offsets[buffer] = base;
		if (mp_testing_fits(b->problem, b->offsets, buffer))
			try_all(b, buffer + 1);
		if (it->offset != NO_OFFSET)
			return;
	}
}

/* ------------------------------------------------------------ tests */

/* Old bases as of a plan of another problem: any, also some that no plan has.
 * Of a buffer in two there is a second one. */
static uint32_t invent(uint64_t seed, const struct problem *problem,
	uint64_t height, struct old_base *old)
{
	uint64_t random = seed, align;
	uint32_t n = 0;

	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		align = problem->buffers[i].align;
		for (uint32_t k = 0; k < 1 + i % 2; k++) {
			uint64_t base = (uint64_t)mp_testing_below(
						&random, height / align + 1) *
					align;

			if (k > 0 && base <= old[n - 1].base)
				continue;
			old[n++] = (struct old_base){
				i, base, problem->buffers[i].size / (k + 1)};
		}
	}
	return n;
}

struct tally {
	uint32_t n, open, best;
	uint64_t most_spent; /* steps, of one problem */
};

static void compare(uint64_t seed, const struct random_shape *shape, bool tall,
	struct tally *tally)
{
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct old_base old[MOST_OLD];
	struct near_plan near = {.old = old};
	struct brute b = {.near = &near};
	struct problem problem;
	struct job job;

	cr_assert(mp_testing_random_problem(seed, shape, &problem, &arena));
	job = mp_testing_job(&problem, STEPS, &arena);
	cr_assert_neq(mp_testing_plan(&job, "auto"), PLAN_FAILED);
	job.steps = STEPS;
	near.limit = job.height + (tall ? 4 * problem.alignment : 0);
	near.n_old = invent(seed, &problem, near.limit, old);
	cr_assert(mp_planner_near(&job, &near), "%s", error.text);
	cr_assert_leq(job.height, near.limit);
	cr_assert_eq(job.height, mp_plan_height(&problem, job.best));
	cr_assert(mp_verify(&problem, job.best, MEMPLAN_NO, &arena, &error));
	cr_assert_eq(mp_planner_near_kept(&near, job.best), near.kept);
	if (!tall)
		near.limit = job.height;
	b.problem = &problem;
	try_all(&b, 0);
	cr_assert_leq(near.kept, b.most, "seed %llu", (unsigned long long)seed);
	tally->n++;
	tally->most_spent = num_max(tally->most_spent, job.spent);
	tally->open += b.most < bytes_of(&b, 0);
	tally->best += near.kept == b.most;
	mp_arena_free(&arena);
}

/* Nearly all are small enough for the search to find the best. */
static struct tally hold(const struct random_shape *shape)
{
	struct tally tally = {0};

	for (uint64_t seed = 0; seed < mp_testing_cases(PROBLEMS, 1); seed++)
		compare(seed, shape, seed % 2, &tally);
	cr_log_info(
		"%u problems, %u in which not all can stay: %u at the best\n",
		tally.n, tally.open, tally.best);
	cr_assert_geq(tally.open * 2, tally.n);
	cr_assert_geq(tally.best * 100, tally.n * 95);
	return tally;
}

/* A quarter of such a buffer is no byte. Each repetition of a search allows
 * more to move nevertheless: else it spends all its steps. */
Test(near, buffers_of_few_bytes)
{
	const struct random_shape shape = {.buffers = 6, .size = 3};
	struct tally tally = hold(&shape);

	cr_assert_lt(tally.most_spent, STEPS / 16);
}

Test(near, plain_problems)
{
	const struct random_shape shape = {.buffers = 6};

	hold(&shape);
}

Test(near, streams_and_pairs_apart)
{
	const struct random_shape shape = {
		.buffers = 6, .streams = 3, .apart = true, .aligned = true};

	hold(&shape);
}

Test(near, parts_and_fixed_offsets)
{
	const struct random_shape shape = {
		.buffers = 6, .parts = true, .fixed = true, .choices = true};

	hold(&shape);
}

/* An old plan of the same problem stays whole. */
Test(near, a_plan_is_near_to_itself)
{
	const struct random_shape shape = {.buffers = 40, .steps = 30};

	for (uint64_t seed = 0; seed < 20; seed++) {
		struct error error = {0};
		struct arena arena = {.error = &error};
		struct old_base old[40];
		struct near_plan near = {.old = old};
		struct problem p;
		struct job job;

		cr_assert(mp_testing_random_problem(seed, &shape, &p, &arena));
		job = mp_testing_job(&p, STEPS, &arena);
		cr_assert_neq(mp_testing_plan(&job, "auto"), PLAN_FAILED);
		for (uint32_t i = 0; i < p.n_buffers; i++)
			old[near.n_old++] = (struct old_base){
				i, job.best[i], p.buffers[i].size};
		near.limit = job.height;
		job.height = UINT64_MAX;
		job.steps = STEPS;
		cr_assert_neq(
			mp_testing_plan(&job, "greedy-area"), PLAN_FAILED);
		if (job.height > near.limit)
			near.limit = job.height;
		job.steps = STEPS;
		cr_assert(mp_planner_near(&job, &near));
		cr_assert_eq(near.kept, mp_planner_near_kept(&near, job.best));
		for (uint32_t i = 0; i < p.n_buffers; i++)
			cr_assert_eq(job.best[i], old[i].base);
		mp_arena_free(&arena);
	}
}
