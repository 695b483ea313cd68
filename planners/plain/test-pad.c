/*
 * pad: boxes that nearly fill a box.
 *
 * SPDX-License-Identifier: MIT
 */

#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random.h"

enum {
	BOXES = 300,
	STEPS = 8 * BOXES,
	HEIGHT = 1 << 20,
	BUDGET = 4000000
};

/* Where the boxes begin that are cut. */
static uint64_t low[BOXES];

/* Cuts one of the boxes in two, across time or across height. */
static void cut(struct problem *p, uint64_t *state)
{
	uint32_t n = p->n_buffers, i = mp_testing_below(state, n);
	struct buffer *b = &p->buffers[i];
	uint32_t start = b->start, end = b->end;
	uint32_t size = (uint32_t)b->size;

	if (mp_testing_below(state, 2) == 0 && end - start > 16) {
		b->end = start + 8 + mp_testing_below(state, end - start - 16);
		p->parts[i].end = b->end;
		low[n] = low[i];
		mp_testing_add(p, b->end, end, size);
	} else if (size > 4096) {
		b->size = 2048 + mp_testing_below(state, size - 4096);
		p->parts[i].size = b->size;
		low[n] = low[i] + b->size;
		mp_testing_add(p, start, end, size - b->size);
	}
}

/* Boxes that fill a box. */
static uint64_t cut_boxes(struct planning *f)
{
	struct problem *p = &f->problem;
	uint64_t state = 3;

	mp_testing_begin(f, BOXES, STEPS);
	mp_testing_add(p, 0, STEPS, HEIGHT);
	while (p->n_buffers < BOXES)
		cut(p, &state);
	return state;
}

/* Boxes that then lose up to so many of a thousand bytes. Of a hundred so many
 * are fixed instead. */
static void begin_with_boxes(struct planning *f, uint32_t lose, uint32_t fixed)
{
	uint64_t state = cut_boxes(f);
	struct problem *p = &f->problem;

	for (uint32_t i = 0; i < BOXES; i++) {
		if (fixed > 0 && mp_testing_below(&state, 100) < fixed) {
			p->buffers[i].offset = low[i];
			continue;
		}
		p->buffers[i].size -= p->buffers[i].size *
				      mp_testing_below(&state, lose + 1) / 1000;
		p->parts[i].size = p->buffers[i].size;
	}
	cr_assert(mp_testing_end(f, "pad", BUDGET));
}

/* A hundredth above the load, or less. */
static uint64_t near(const struct planning *f)
{
	return f->problem.theoretical_min + f->problem.theoretical_min / 100;
}

static void expect_together(
	struct planning *f, const char *before, uint64_t height)
{
	mp_testing_plan(&f->job, before);
	cr_assert_gt(f->job.height, height + HEIGHT / 20);
	cr_assert_neq(mp_testing_plan(&f->job, "pad"), PLAN_FAILED);
	cr_assert_leq(f->job.height, height, "%lu of %lu",
		(unsigned long)f->job.height,
		(unsigned long)f->problem.theoretical_min);
	mp_arena_free(&f->arena);
}

Test(pad, puts_together_what_lost_some_bytes)
{
	struct planning f;

	begin_with_boxes(&f, 30, 0);
	expect_together(&f, "dive", near(&f));
}

/* More than an eighth of all, and less than a quarter. */
Test(pad, gives_up_at_once_where_many_bytes_are_free)
{
	struct planning f;
	const struct problem *p = &f.problem;
	uint64_t all, used = 0;

	begin_with_boxes(&f, 500, 0);
	all = p->theoretical_min * p->n_steps;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		used += p->buffers[i].size *
			(p->buffers[i].end - p->buffers[i].start);
	cr_assert_gt(all - used, all / 8);
	cr_assert_lt(all - used, all / 4);
	mp_testing_plan(&f.job, "dive");
	f.job.spent = 0;
	cr_assert_eq(mp_testing_plan(&f.job, "pad"), PLAN_GAVE_UP);
	cr_assert_eq(f.job.spent, 0);
	mp_arena_free(&f.arena);
}

Test(pad, puts_together_what_is_fixed_here_and_there)
{
	static const uint32_t fixed[] = {1, 5, 20};

	for (uint32_t i = 0; i < countof(fixed); i++) {
		struct planning f;

		begin_with_boxes(&f, 30, fixed[i]);
		expect_together(&f, "greedy-size", HEIGHT + HEIGHT / 50);
	}
}

/* One of so many boxes. */
static void leave_out_one_in(struct planning *f, uint32_t so_many)
{
	struct problem *p = &f->problem;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		if (i % so_many == so_many - 1)
			continue;
		p->buffers[kept] = p->buffers[i];
		p->parts[kept] = p->parts[i];
		p->buffers[kept].first_part = p->parts[kept].buffer = kept;
		kept++;
	}
	p->n_buffers = p->n_parts = kept;
}

Test(pad, puts_together_what_lost_some_boxes)
{
	struct planning f;

	cut_boxes(&f);
	leave_out_one_in(&f, 50);
	cr_assert(mp_testing_end(&f, "pad", BUDGET));
	expect_together(&f, "dive", near(&f));
}

/* Where much is missing what fits with waste is mostly chance: plans are that
 * low because a join is worth the less, the more it wastes. */
Test(pad, doubts_what_wastes_much)
{
	uint64_t above = 0;

	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct planning f;

		cut_boxes(&f);
		leave_out_one_in(&f, 20);
		cr_assert(mp_testing_end(&f, "pad", BUDGET / 4));
		f.job.seed = seed;
		mp_testing_plan(&f.job, "dive");
		cr_assert_neq(mp_testing_plan(&f.job, "pad"), PLAN_FAILED);
		above += f.job.height - f.problem.theoretical_min;
		mp_arena_free(&f.arena);
	}
	cr_assert_leq(above / 8, HEIGHT / 1200, "%lu", (unsigned long)above);
}

Test(pad, puts_together_what_lost_nothing)
{
	struct planning f;

	begin_with_boxes(&f, 0, 0);
	cr_assert_eq(mp_testing_plan(&f.job, "pad"), PLAN_OPTIMAL);
	cr_assert_eq(f.job.height, HEIGHT);
	mp_arena_free(&f.arena);
}

/* No two of these begin or end where the other does. */
Test(pad, gives_up_where_nothing_fits)
{
	struct planning f;
	uint64_t height;

	mp_testing_begin(&f, BOXES, STEPS);
	for (uint32_t i = 0; i < BOXES; i++)
		mp_testing_add(&f.problem, 2 * i, 2 * i + 201, 100 + i % 7);
	cr_assert(mp_testing_end(&f, "pad", BUDGET));
	mp_testing_plan(&f.job, "linear");
	height = f.job.height;
	cr_assert_eq(mp_testing_plan(&f.job, "pad"), PLAN_GAVE_UP);
	cr_assert_eq(f.job.height, height);
	cr_assert_lt(f.job.spent, BUDGET / 10);
	mp_arena_free(&f.arena);
}

/* Budgets that end in a trial or an attempt that was run ahead, and in one that
 * was not. */
Test(pad, is_the_same_with_any_number_of_threads)
{
	for (uint64_t steps = 18000; steps < 300000; steps += 6000) {
		struct planning f[3];

		for (int i = 0; i < 3; i++) {
			struct threads threads;

			cut_boxes(&f[i]);
			leave_out_one_in(&f[i], 50);
			cr_assert(mp_testing_end(&f[i], "pad", steps));
			mp_testing_plan(&f[i].job, "linear");
			mp_threads_init(&threads, i);
			f[i].job.threads = &threads;
			cr_assert_neq(
				mp_testing_plan(&f[i].job, "pad"), PLAN_FAILED);
			cr_assert(mp_testing_same_plan(&f[i].job, &f[0].job));
		}
		for (int i = 0; i < 3; i++)
			mp_arena_free(&f[i].arena);
	}
}
