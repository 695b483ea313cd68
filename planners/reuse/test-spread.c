/*
 * Spreading against all plans that there are of small problems, and layouts
 * against counting anew.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/reuse/spread.h"

#include <criterion/criterion.h>
#include <string.h>

#include "planners/reuse/refit.h"
#include "problem/overwrites.h"
#include "testing/planning.h"
#include "testing/random-problem.h"
#include "testing/random.h"
#include "verify/verify.h"

enum {
	PROBLEMS =
		250, /* of each shape, unless MEMPLAN_PROBLEMS says another */
};

struct fixture {
	struct error error;
	struct arena arena;
	struct problem problem;
	struct job job;
	struct spread spread;
};

static const char *const starts[] = {
	"linear", "executorch", "two-level", "greedy-size-best", "online-best"};

static struct spread spread_within(uint64_t limit)
{
	return (struct spread){
		.limit = limit, .starts = starts, .n_starts = countof(starts)};
}

static void set_up(
	struct fixture *f, uint64_t seed, const struct random_shape *shape)
{
	memset(f, 0, sizeof(*f));
	f->arena.error = &f->error;
	cr_assert(
		mp_testing_random_problem(seed, shape, &f->problem, &f->arena));
	f->job = mp_testing_job(&f->problem, 20000, &f->arena);
	cr_assert_neq(mp_testing_plan(&f->job, "greedy-size"), PLAN_FAILED);
	f->job.steps = 20000;
}

/* ------------------------------------------------------ brute force */

struct brute {
	const struct problem *problem;
	uint64_t limit;
	const bool *crosses; /* or NULL */
	uint64_t offsets[8];
	uint64_t fewest; /* those across streams in the upper half */
	struct arena *arena;
};

static uint64_t weigh(const struct problem *p, const uint64_t *offsets,
	const bool *crosses, struct arena *arena)
{
	struct overwrites found;
	uint64_t weight = 0;

	cr_assert(mp_problem_overwrites_find(p, offsets, &found, arena));
	for (uint32_t i = 0; i < found.n; i++) {
		const struct overwrite *o = &found.at[i];

		weight += crosses && crosses[o->old * p->n_streams +
					     p->stream[o->next]]
				  ? UINT64_C(1) << 32
				  : 1;
	}
	return weight;
}

/* Every base of every buffer; parts of buffers are in the order of these. */
static void try_all(struct brute *b, uint32_t buffer)
{
	const struct buffer *it;
	uint64_t base;

	if (buffer == b->problem->n_buffers) {
		struct arena_mark mark = mp_arena_mark(b->arena);

		b->fewest = num_min(b->fewest,
			weigh(b->problem, b->offsets, b->crosses, b->arena));
		mp_arena_rewind(b->arena, mark);
		return;
	}
	it = &b->problem->buffers[buffer];
	base = it->offset == NO_OFFSET ? 0 : it->offset;
	for (; base + it->size <= b->limit && b->fewest > 0;
		base += it->align) {
		b->offsets[buffer] = base;
		if (mp_testing_fits(b->problem, b->offsets, buffer))
			try_all(b, buffer + 1);
		if (it->offset != NO_OFFSET)
			return;
	}
}

static uint64_t fewest(struct fixture *f, uint64_t limit, const bool *crosses)
{
	struct brute b = {.problem = &f->problem,
		.limit = limit,
		.crosses = crosses,
		.fewest = UINT64_MAX,
		.arena = &f->arena};

	try_all(&b, 0);
	return b.fewest;
}

/* ------------------------------------------------------------ tests */

struct tally {
	uint32_t n, best, before, after, fewest;
};

static void compare(struct fixture *f, uint64_t limit, struct tally *tally)
{
	uint32_t least = (uint32_t)fewest(f, limit, NULL), counted;

	f->spread = spread_within(limit);
	cr_assert(mp_planner_spread(&f->job, &f->spread), "%s", f->error.text);
	cr_assert_leq(f->job.height, limit);
	cr_assert_eq(f->job.height, mp_plan_height(&f->problem, f->job.best));
	cr_assert(mp_verify(
		&f->problem, f->job.best, MEMPLAN_NO, &f->arena, &f->error));
	cr_assert(mp_problem_overwrites_count(
		&f->problem, f->job.best, &counted, &f->arena));
	cr_assert_eq(counted, f->spread.after);
	cr_assert_leq(f->spread.after, f->spread.before);
	cr_assert_leq(f->spread.least, least);
	cr_assert_geq(f->spread.after, least);
	tally->n++;
	tally->best += f->spread.after == least;
	tally->before += f->spread.before;
	tally->after += f->spread.after;
	tally->fewest += least;
}

static struct tally hold(const struct random_shape *shape)
{
	struct tally tally = {0};
	struct fixture f;

	for (uint64_t seed = 0; seed < mp_testing_cases(PROBLEMS, 1); seed++) {
		set_up(&f, seed, shape);
		compare(&f, f.job.height + seed % 3 * f.problem.alignment,
			&tally);
		mp_arena_free(&f.arena);
	}
	cr_log_info("%u problems: %u at the optimum; %u overwrites, then %u "
		    "of %u\n",
		tally.n, tally.best, tally.before, tally.after, tally.fewest);
	return tally;
}

Test(spread, reaches_the_optimum_of_plain_problems)
{
	struct tally t = hold(&(struct random_shape){.buffers = 6, .size = 4});

	cr_assert_geq(t.best * 100, t.n * 95);
}

Test(spread, holds_for_stacks_and_fixed_offsets)
{
	struct tally t = hold(&(struct random_shape){.buffers = 5,
		.size = 3,
		.parts = true,
		.fixed = true,
		.aligned = true});

	cr_assert_geq(t.best * 100, t.n * 95);
}

Test(spread, holds_across_streams)
{
	struct tally t = hold(&(struct random_shape){
		.buffers = 6, .size = 3, .streams = 3, .steps = 12});

	cr_assert_geq(t.best * 100, t.n * 95);
}

Test(spread, keeps_pairs_apart)
{
	struct tally t = hold(&(struct random_shape){
		.buffers = 6, .size = 4, .apart = true, .aligned = true});

	cr_assert_geq(t.best * 100, t.n * 95);
}

/* Those that cross are few before all are; which do is made up. */
Test(spread, puts_those_across_streams_first)
{
	const struct random_shape shape = {
		.buffers = 6, .size = 3, .streams = 3, .steps = 12};
	uint32_t n = 0, best = 0, differ = 0;

	for (uint64_t seed = 0; seed < mp_testing_cases(PROBLEMS, 1); seed++) {
		uint64_t state = seed, least, weight;
		bool crosses[6 * 3];
		struct fixture f;

		set_up(&f, seed, &shape);
		for (uint32_t i = 0; i < countof(crosses); i++)
			crosses[i] = mp_testing_below(&state, 2);
		least = fewest(&f, f.job.height, crosses);
		f.spread = spread_within(f.job.height);
		cr_assert(mp_planner_spread(&f.job, &f.spread));
		differ += weigh(&f.problem, f.job.best, crosses, &f.arena) >
			  least;
		f.job.steps = 20000;
		f.spread.crosses = crosses;
		cr_assert(mp_planner_spread(&f.job, &f.spread));
		weight = weigh(&f.problem, f.job.best, crosses, &f.arena);
		cr_assert_geq(weight, least);
		cr_assert_eq(
			f.spread.after, (weight & UINT32_MAX) + (weight >> 32));
		best += weight == least;
		n++;
		mp_arena_free(&f.arena);
	}
	cr_log_info("%u problems: %u at the optimum\n", n, best);
	cr_assert_geq(best * 100, n * 95);
	cr_assert_gt(differ, 0);
}

/* Room for all, one behind the other. */
Test(spread, finds_no_overwrite_where_there_is_room)
{
	const struct random_shape shape = {
		.buffers = 60, .steps = 60, .alignment = 512};
	struct fixture f;

	for (uint64_t seed = 0; seed < 20; seed++) {
		set_up(&f, seed, &shape);
		f.spread = spread_within(f.problem.total_size);
		cr_assert(mp_planner_spread(&f.job, &f.spread));
		cr_assert_eq(f.spread.after, 0);
		cr_assert_leq(f.job.height, f.problem.total_size);
		mp_arena_free(&f.arena);
	}
}

Test(spread, gives_the_same_plan_again)
{
	const struct random_shape shape = {.buffers = 50, .steps = 60};
	struct fixture f;
	uint64_t first[50];
	uint32_t after;

	for (uint64_t seed = 0; seed < 10; seed++) {
		set_up(&f, seed, &shape);
		f.spread = spread_within(f.job.height);
		cr_assert(mp_planner_spread(&f.job, &f.spread));
		after = f.spread.after;
		memcpy(first, f.job.best, sizeof(*first) * f.problem.n_buffers);
		mp_arena_free(&f.arena);
		set_up(&f, seed, &shape);
		f.spread = spread_within(f.job.height);
		cr_assert(mp_planner_spread(&f.job, &f.spread));
		cr_assert_eq(f.spread.after, after);
		cr_assert_arr_eq(first, f.job.best,
			sizeof(*first) * f.problem.n_buffers);
		mp_arena_free(&f.arena);
	}
}

/* The weight that a refit keeps equals that of counting again. */
static void wander(struct fixture *f, uint64_t seed)
{
	struct refit r;
	uint64_t base;
	uint32_t n;

	cr_assert(mp_planner_refit_init(
		&r, &f->problem, f->job.height + 3, seed, &f->arena));
	cr_assert(mp_problem_overwrites_count(
		&f->problem, f->job.best, &n, &f->arena));
	mp_planner_refit_restore(&r, f->job.best, n);
	for (uint32_t i = 0; i < 20; i++) {
		uint32_t buffer =
			mp_planner_refit_random(&r, f->problem.n_buffers);

		if (f->problem.buffers[buffer].offset != NO_OFFSET)
			continue;
		mp_planner_refit_take(&r, buffer);
		cr_assert(mp_planner_refit_choose(&r, buffer, &base));
		mp_planner_refit_put(&r, buffer, base);
		cr_assert(mp_verify(&f->problem, r.offsets, MEMPLAN_NO,
			&f->arena, &f->error));
		cr_assert(mp_problem_overwrites_count(
			&f->problem, r.offsets, &n, &f->arena));
		cr_assert_eq(r.weight, n, "seed %llu, %u: %lld, not %u",
			(unsigned long long)seed, i, (long long)r.weight, n);
	}
}

Test(refit, weighs_as_counting_anew_does)
{
	const struct random_shape shapes[] = {
		{.buffers = 20, .steps = 30},
		{.buffers = 15, .steps = 30, .parts = true, .fixed = true},
		{.buffers = 10, .steps = 20, .streams = 3},
	};
	struct fixture f;

	for (uint32_t i = 0; i < countof(shapes); i++)
		for (uint64_t seed = 0; seed < 100; seed++) {
			set_up(&f, seed, &shapes[i]);
			wander(&f, seed);
			mp_arena_free(&f.arena);
		}
}

/* Every allocation fails once as the limit rises. */
Test(spread, fails_cleanly_when_memory_is_out)
{
	struct fixture f;
	uint32_t failures = 0;
	bool done = false;

	for (uint64_t limit = 1; !done; limit += limit / 4 + 64) {
		set_up(&f, 7, &(struct random_shape){.buffers = 30});
		f.spread = spread_within(f.job.height + 4);
		f.arena.limit = f.arena.held + limit;
		done = mp_planner_spread(&f.job, &f.spread);
		cr_assert_eq(done, f.error.code == MEMPLAN_OK);
		failures += !done;
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(failures, 0);
}

/* Nothing is tried any more, and the plan stays. */
Test(spread, does_nothing_after_an_interrupt)
{
	static const struct random_shape shape = {.buffers = 8, .steps = 12};
	struct fixture f;
	atomic_bool stop;
	uint64_t height;

	set_up(&f, 1, &shape);
	height = f.job.height;
	atomic_init(&stop, true);
	f.job.stop = &stop;
	f.job.spent = 0;
	f.spread = spread_within(2 * height);
	cr_assert(mp_planner_spread(&f.job, &f.spread));
	cr_assert(f.job.cut_short);
	cr_assert_eq(f.job.spent, 0);
	cr_assert_eq(f.job.height, height);
	cr_assert_eq(f.spread.after, f.spread.before);
	mp_arena_free(&f.arena);
}
