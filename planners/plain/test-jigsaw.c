/*
 * jigsaw: boxes that were cut out of one come together again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <criterion/criterion.h>

#include "testing/boxes.h"
#include "testing/random.h"

enum {
	PINWHEEL_BOXES = 3000,
	WHEELS = 3,
	VAIN = 1000 /* boxes */
};

static const struct box large = {0, BOX_STEPS, 0, BOX_HEIGHT};

static void make_job(struct planning *f)
{
	cr_assert(mp_testing_end(f, "jigsaw", 10000000));
}

static uint64_t area_of(const struct box *b)
{
	return (b->end - b->start) * (b->high - b->low);
}

Test(jigsaw, puts_together_what_was_cut)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct planning f;

		mp_testing_cut_boxes(&f, large, seed, UINT32_MAX, "jigsaw");
		cr_assert_eq(mp_planner_jigsaw_run(&f.job, 0), PLAN_OPTIMAL,
			"seed %d: %d", (int)seed, (int)f.job.height);
		cr_assert_eq(f.job.height, BOX_HEIGHT);
		cr_assert_str_eq(f.job.winner, "jigsaw");
		mp_arena_free(&f.arena);
	}
}

/* So many begin and end at each step that two often fit by chance, but hardly
 * five. */
Test(jigsaw, joins_pinwheels_before_what_is_in_doubt)
{
	struct box whole = {0, 200, 0, 500};

	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct planning f;

		mp_testing_cut_boxes(&f, whole, seed, UINT32_MAX, "jigsaw");
		mp_planner_jigsaw_run(&f.job, 0);
		cr_assert_leq(f.job.height, 505, "seed %d: %d", (int)seed,
			(int)f.job.height);
		mp_arena_free(&f.arena);
	}
}

Test(jigsaw, keeps_fixed_offsets)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct planning f;

		mp_testing_cut_boxes(&f, large, seed, 5, "jigsaw");
		cr_assert_neq(mp_planner_jigsaw_run(&f.job, 0), PLAN_FAILED);
		cr_assert_leq(f.job.height, BOX_HEIGHT + BOX_HEIGHT / 50);
		for (uint32_t i = 0; i < f.problem.n_buffers; i++)
			if (f.problem.buffers[i].offset != NO_OFFSET)
				cr_assert_eq(f.job.best[i],
					f.problem.buffers[i].offset);
		mp_arena_free(&f.arena);
	}
}

/* Cuts at any step and byte, of boxes that are few of each: most joins that fit
 * are chance. */
static void begin_chances(struct planning *f, uint64_t seed)
{
	static struct box boxes[1500];
	uint64_t state = seed;
	uint32_t n = 1;

	boxes[0] = (struct box){0, 300, 0, 400};
	while (n < 1500) {
		struct box *b = &boxes[mp_testing_below(&state, n)];
		uint32_t width = b->end - b->start;
		uint64_t height = b->high - b->low;

		if (width * height < 40)
			continue;
		boxes[n] = *b;
		if (mp_testing_below(&state, 2) && width > 1)
			boxes[n].start = b->end =
				b->start + 1 +
				mp_testing_below(&state, width - 1);
		else if (height > 1)
			boxes[n].low = b->high =
				b->low + 1 +
				mp_testing_below(&state, (uint32_t)height - 1);
		else
			continue;
		n++;
	}
	mp_testing_begin(f, n, 300);
	while (n-- > 0)
		mp_testing_add_box(&f->problem, boxes[n]);
	make_job(f);
}

Test(jigsaw, puts_together_what_often_fits_by_chance)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct planning f;

		begin_chances(&f, seed);
		cr_assert_eq(mp_planner_jigsaw_run(&f.job, 0), PLAN_OPTIMAL,
			"seed %d: %d", (int)seed, (int)f.job.height);
		mp_arena_free(&f.arena);
	}
}

/* A third of the cuts leave a pinwheel, and much else fits by chance. */
static void begin_pinwheels(struct planning *f, uint64_t seed)
{
	static struct box boxes[PINWHEEL_BOXES + 4];
	uint64_t state = seed;
	uint32_t n = 1;

	boxes[0] = (struct box){0, 1000, 0, 2000};
	while (n < PINWHEEL_BOXES) {
		uint32_t at = mp_testing_below(&state, n);

		for (int k = 0; k < 4; k++) {
			uint32_t i = mp_testing_below(&state, n);

			if (area_of(&boxes[i]) > area_of(&boxes[at]))
				at = i;
		}
		n += mp_testing_cut(&boxes[at], &boxes[n], &state);
	}
	mp_testing_begin(f, n, 1000);
	while (n-- > 0)
		mp_testing_add_box(&f->problem, boxes[n]);
	make_job(f);
}

Test(jigsaw, puts_pinwheels_together_first)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct planning f;

		begin_pinwheels(&f, seed);
		cr_assert_eq(mp_planner_jigsaw_run(&f.job, 0), PLAN_OPTIMAL,
			"seed %d: %d", (int)seed, (int)f.job.height);
		mp_arena_free(&f.arena);
	}
}

/* From a budget that is spent in halves to one that ends with copies. */
Test(jigsaw, repairs_the_same_with_any_number_of_threads)
{
	for (uint64_t steps = 20000; steps <= 500000; steps *= 5) {
		struct planning f[3];

		for (int i = 0; i < 3; i++) {
			struct threads threads;
			enum outcome outcome;

			begin_chances(&f[i], 1);
			mp_threads_init(&threads, i);
			f[i].job.steps = steps;
			f[i].job.threads = &threads;
			outcome = mp_planner_jigsaw_run(&f[i].job, 0);
			cr_assert(steps < 500000 || outcome == PLAN_OPTIMAL);
			cr_assert(mp_testing_same_plan(&f[i].job, &f[0].job));
		}
		for (int i = 0; i < 3; i++)
			mp_arena_free(&f[i].arena);
	}
}

/* Many boxes that fit nothing, which threads look at ahead; then a pinwheel,
 * and the others of one that it is the lowest of. */
static void add_pinwheels_behind(
	struct problem *p, uint32_t at, uint64_t *state)
{
	static const struct box boxes[] = {{0, 30, 0, 3}, {30, 40, 0, 7},
		{10, 40, 0, 3}, {0, 10, 0, 7}, {10, 30, 0, 4}, {40, 60, 0, 16},
		{20, 60, 0, 5}, {0, 20, 0, 11}, {20, 40, 0, 6}};

	for (uint32_t i = 0; i < VAIN; i++) {
		uint32_t start = at + mp_testing_below(state, 400);

		mp_testing_add(p, start,
			start + 1 + mp_testing_below(state, 99),
			1000 + mp_testing_below(state, BOX_HEIGHT));
	}
	for (uint32_t i = 0; i < countof(boxes); i++)
		mp_testing_add(p, at + boxes[i].start, at + boxes[i].end,
			boxes[i].high);
}

Test(jigsaw, looks_ahead_for_pinwheels)
{
	struct planning f[3];

	for (int i = 0; i < 3; i++) {
		struct threads threads;
		uint64_t state = 1;

		mp_testing_begin(&f[i], WHEELS * (VAIN + 9), 10000);
		for (uint32_t k = 0; k < WHEELS; k++)
			add_pinwheels_behind(&f[i].problem, 1000 * k, &state);
		cr_assert(mp_testing_end(&f[i], "jigsaw", 200000));
		mp_threads_init(&threads, i);
		f[i].job.threads = &threads;
		cr_assert_neq(mp_planner_jigsaw_run(&f[i].job, 0), PLAN_FAILED);
		cr_assert(mp_testing_same_plan(&f[i].job, &f[0].job));
	}
	for (int i = 0; i < 3; i++)
		mp_arena_free(&f[i].arena);
}

/* Joining takes long where all is in vain. */
Test(jigsaw, stops_while_it_joins)
{
	uint64_t spent[2];

	for (int stopped = 0; stopped <= 1; stopped++) {
		atomic_bool stop;
		struct planning f;

		begin_pinwheels(&f, 1);
		atomic_init(&stop, stopped);
		f.job.stop = &stop;
		cr_assert_neq(mp_planner_jigsaw_run(&f.job, 0), PLAN_FAILED);
		cr_assert_eq(f.job.cut_short, stopped);
		spent[stopped] = f.job.spent;
		mp_arena_free(&f.arena);
	}
	cr_assert_lt(spent[1], spent[0] / 16, "%llu, %llu",
		(unsigned long long)spent[1], (unsigned long long)spent[0]);
}

/* Though that takes fewer steps than there are between two looks at the clock.
 */
Test(jigsaw, says_that_a_limit_of_time_ended_its_joins)
{
	for (int late = 0; late <= 1; late++) {
		struct planning f;

		mp_testing_unlike_boxes(&f, "jigsaw");
		f.job.deadline = late; /* long ago, or none */
		cr_assert_eq(mp_planner_jigsaw_run(&f.job, 0), PLAN_GAVE_UP);
		cr_assert_eq(f.job.cut_short, late);
		mp_arena_free(&f.arena);
	}
}

Test(jigsaw, fills_a_gap)
{
	struct planning f;

	mp_testing_begin(&f, 3, 20);
	mp_testing_add_box(&f.problem, (struct box){5, 12, 0, 2});
	mp_testing_add_box(&f.problem, (struct box){0, 20, 0, 7});
	mp_testing_add_gap(&f.problem, 5, 12);
	mp_testing_add_box(&f.problem, (struct box){5, 12, 0, 5});
	make_job(&f);
	cr_assert_eq(mp_planner_jigsaw_run(&f.job, 0), PLAN_OPTIMAL);
	cr_assert_eq(f.job.height, 7);
	mp_arena_free(&f.arena);
}

Test(jigsaw, gives_up_where_nothing_fits)
{
	struct planning f;

	mp_testing_unlike_boxes(&f, "jigsaw");
	cr_assert_eq(mp_planner_jigsaw_run(&f.job, 0), PLAN_GAVE_UP);
	cr_assert_leq(f.job.spent, 20 * BOXES);
	mp_arena_free(&f.arena);
}
