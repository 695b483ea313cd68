/*
 * turnover: what a sweep in time has cut up is put together again.
 *
 * SPDX-License-Identifier: MIT
 */

#include <criterion/criterion.h>
#include <string.h>

#include "testing/planning.h"
#include "testing/random.h"

enum {
	MOST_ALIVE = 24,
	MOST_CUT = 3, /* neighbours that end, and pieces that begin */
	SEEDS = 40
};

/* What lies on what: where it begins in bytes and since when. */
struct layer {
	uint64_t low;
	uint32_t start;
};

struct layers {
	struct layer at[2 * MOST_ALIVE + MOST_CUT];
	uint32_t n;
	uint64_t height;
};

static uint64_t end_of(const struct layers *l, uint32_t k)
{
	return k + 1 < l->n ? l->at[k + 1].low : l->height;
}

static void end_layers(struct problem *p, const struct layers *l,
	uint32_t first, uint32_t n, uint32_t step)
{
	for (uint32_t k = first; k < first + n; k++)
		mp_testing_add(
			p, l->at[k].start, step, end_of(l, k) - l->at[k].low);
}

/* Some neighbours end, unless one has just begun, and what they had is cut
 * again. */
static void cut_again(
	struct problem *p, struct layers *l, uint32_t step, uint64_t *state)
{
	uint32_t first = mp_testing_below(state, l->n), n_pieces = 1;
	uint32_t n =
		1 + mp_testing_below(state, num_min(MOST_CUT, l->n - first));
	uint64_t low = l->at[first].low, high = end_of(l, first + n - 1);
	struct layer pieces[MOST_CUT] = {{low, step}};

	for (uint32_t k = first; k < first + n; k++)
		if (l->at[k].start == step)
			return;
	end_layers(p, l, first, n, step);
	while (n_pieces < MOST_CUT && l->n - n + n_pieces < MOST_ALIVE &&
		high - low > 1 && mp_testing_below(state, 3) > 0) {
		low += 1 + mp_prng(state) % (high - low - 1);
		pieces[n_pieces++] = (struct layer){low, step};
	}
	memmove(l->at + first + n_pieces, l->at + first + n,
		sizeof(*l->at) * (l->n - first - n));
	memcpy(l->at + first, pieces, sizeof(*pieces) * n_pieces);
	l->n += n_pieces - n;
}

/* Of so many buffers, with cuts in several places at a step; what came of it
 * is in any order of bytes. */
static void make(struct planning *f, uint32_t n, uint64_t height,
	uint32_t at_once, uint64_t seed)
{
	struct layers l = {.n = 1, .height = height};
	struct problem *p = &f->problem;
	uint32_t step = 1;

	mp_testing_begin(f, n + 2 * MOST_ALIVE, n);
	for (; p->n_buffers < n; step++)
		for (uint32_t k = 0; k < at_once && p->n_buffers < n; k++)
			cut_again(p, &l, step, &seed);
	end_layers(p, &l, 0, l.n, step);
	p->n_steps = step;
	cr_assert(mp_testing_end(f, "turnover", 1000000));
	cr_assert_eq(p->theoretical_min, height);
}

Test(turnover, puts_together_what_a_sweep_has_cut)
{
	for (uint64_t seed = 1; seed <= mp_testing_cases(SEEDS, 1); seed++) {
		struct planning f;

		make(&f, 200 + 20 * (uint32_t)seed,
			UINT64_C(1) << (12 + seed % 20), 1, seed);
		cr_assert_eq(mp_testing_plan(&f.job, "turnover"), PLAN_OPTIMAL);
		mp_arena_free(&f.arena);
	}
}

/* Of the groups that have one sum then some are there by chance. */
Test(turnover, finds_what_is_cut_at_one_step)
{
	uint32_t n_found = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct planning f;

		make(&f, 600, 1000000, 2 + (uint32_t)seed % 3, seed);
		n_found += mp_testing_plan(&f.job, "turnover") == PLAN_OPTIMAL;
		mp_arena_free(&f.arena);
	}
	cr_assert_geq(n_found, SEEDS / 10 * 9);
}

/* 40 bytes: much fits by chance, so only several ways at a time get far. */
Test(turnover, follows_several_ways)
{
	uint32_t n_found = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct planning f;

		make(&f, 300, 40, 1, seed);
		n_found += mp_testing_plan(&f.job, "turnover") == PLAN_OPTIMAL;
		mp_arena_free(&f.arena);
	}
	cr_assert_geq(n_found, SEEDS / 10 * 9);
}

/* What is alive at one time and what is at another are packed by themselves. */
Test(turnover, begins_anew_where_all_ends)
{
	struct planning f;

	mp_testing_begin(&f, 300, 3);
	for (uint32_t i = 0; i < 300; i++)
		mp_testing_add(&f.problem, i / 100, i / 100 + 1, 7);
	cr_assert(mp_testing_end(&f, "turnover", 1000000));
	cr_assert_eq(mp_testing_plan(&f.job, "turnover"), PLAN_OPTIMAL);
	mp_arena_free(&f.arena);
}

Test(turnover, gives_up_where_a_byte_is_free)
{
	struct planning f;

	make(&f, 300, 1000, 1, 1);
	f.problem.buffers[17].size--;
	f.problem.parts[17].size--;
	cr_assert(mp_problem_measure(&f.problem, &f.arena, &f.error));
	f.job = mp_testing_job(&f.problem, 1000000, &f.arena);
	cr_assert_eq(mp_testing_plan(&f.job, "turnover"), PLAN_GAVE_UP);
	cr_assert_not_null(f.job.declined);
	mp_arena_free(&f.arena);
}

Test(turnover, ends_with_its_budget)
{
	struct planning f;

	make(&f, 2000, 1000, 4, 1);
	f.job = mp_testing_job(&f.problem, 1000, &f.arena);
	cr_assert_eq(mp_testing_plan(&f.job, "turnover"), PLAN_GAVE_UP);
	cr_assert_lt(f.job.spent, 2000);
	mp_arena_free(&f.arena);
}

/* One moment at which much fits by chance, with many that stay. */
Test(turnover, ends_within_a_moment)
{
	struct planning f;

	mp_testing_begin(&f, 1028, 2);
	for (uint32_t i = 0; i < 14; i++) {
		mp_testing_add(&f.problem, 0, 1, 1 + i % 6);
		mp_testing_add(&f.problem, 1, 2, 1 + i % 6);
	}
	for (uint32_t i = 0; i < 1000; i++)
		mp_testing_add(&f.problem, 0, 2, 1 + i);
	cr_assert(mp_testing_end(&f, "turnover", 10000));
	cr_assert_eq(mp_testing_plan(&f.job, "turnover"), PLAN_GAVE_UP);
	cr_assert_lt(f.job.spent, 11000);
	mp_arena_free(&f.arena);
}
