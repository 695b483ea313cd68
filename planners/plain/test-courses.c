/*
 * courses, and ruin, which lays some of them again: boxes that fill a box,
 * small problems, and work that is counted.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random.h"

enum {
	SIDE = 200, /* steps and bytes of the box */
	BOXES = 4000,
	LARGE_SIDE = 500, /* of a box where less is level by chance */
	LARGE_BOXES = 7000,
	LARGE_STEPS = 700 * LARGE_BOXES,
	STEPS = 2000 * BOXES,
	FEW_BOXES = 4000,
	FEW_STEPS = 3500 * FEW_BOXES,
	SOME = 4, /* boxes of which the largest is cut, so that sizes are alike
		   */
	PROBLEMS = 300,
	SHORT = 20000, /* buffers above some that live for long */
	LONG = 60,
	MOST_AT_ONCE = 100000 /* steps */
};

/* The largest of some boxes. */
static uint32_t large_box(
	const struct problem *p, uint32_t some, uint64_t *state)
{
	uint64_t most = 0;
	uint32_t largest = 0;

	for (uint32_t k = 0; k < some; k++) {
		uint32_t i = mp_testing_below(state, p->n_buffers);
		const struct buffer *b = &p->buffers[i];

		if (b->size * (b->end - b->start) > most) {
			most = b->size * (b->end - b->start);
			largest = i;
		}
	}
	return largest;
}

/* The box is cut in two, and the largest of some pieces again, and so on. */
static void begin(struct planning *f, uint32_t side, uint32_t boxes,
	uint32_t some, const char *row, uint64_t steps)
{
	struct problem *p = &f->problem;
	uint64_t state = 1;

	mp_testing_begin(f, boxes, side);
	mp_testing_add(p, 0, side, side);
	while (p->n_buffers < boxes) {
		uint32_t i = large_box(p, some, &state);
		struct buffer *b = &p->buffers[i];
		struct part *part = &p->parts[i];
		uint64_t size = b->size, length = b->end - b->start;
		uint32_t start = b->start, end = b->end;

		if (mp_testing_below(&state, 2) == 0 && length > 1) {
			b->end = part->end =
				start + 1 +
				mp_testing_below(&state, (uint32_t)length - 1);
			mp_testing_add(p, part->end, end, size);
		} else if (size > 1) {
			b->size = part->size = 1 + mp_testing_below(&state,
							   (uint32_t)size - 1);
			mp_testing_add(p, start, end, size - part->size);
		}
	}
	cr_assert(mp_testing_end(f, row, steps));
}

Test(courses, fills_a_box_that_dives_leave_gaps_in)
{
	struct planning f;
	uint64_t dive;

	begin(&f, SIDE, BOXES, 1, "courses", STEPS);
	cr_assert_eq(f.problem.theoretical_min, SIDE);
	mp_planner_dive_run(&f.job, 0);
	dive = f.job.height;
	cr_assert_gt(dive, SIDE + SIDE / 50);
	mp_planner_courses_run(&f.job, 0);
	cr_assert_leq(f.job.height, SIDE + SIDE / 50, "%lu, dives %lu",
		(unsigned long)f.job.height, (unsigned long)dive);
	mp_arena_free(&f.arena);
}

/* Of the dives some find a plan, and some do not. */
Test(courses, is_the_same_with_any_number_of_threads)
{
	struct planning f[3];

	for (int i = 0; i < 3; i++) {
		struct threads threads;

		begin(&f[i], SIDE, BOXES, 1, "courses", STEPS / 4);
		mp_threads_init(&threads, i);
		f[i].job.threads = &threads;
		cr_assert_eq(mp_planner_courses_run(&f[i].job, 0), PLAN_FOUND);
		cr_assert(mp_testing_same_plan(&f[i].job, &f[0].job));
		mp_threads_free(&threads);
	}
	for (int i = 0; i < 3; i++)
		mp_arena_free(&f[i].arena);
}

/* Behind a plan no dive begins that the steps would end. */
Test(courses, leaves_what_is_too_little_for_a_dive)
{
	uint32_t left = 0, spent = 0;

	for (uint64_t steps = 20; steps <= 110; steps += 15) {
		struct planning f;

		begin(&f, SIDE, BOXES, 1, "courses", steps * BOXES);
		if (mp_planner_courses_run(&f.job, 0) == PLAN_FOUND) {
			cr_assert_leq(f.job.steps, f.job.spent / 4 * 5);
			left += f.job.steps > 0;
			spent += f.job.steps == 0;
		}
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(left, 0);
	cr_assert_gt(spent, 0);
}

Test(courses, ends_with_its_budget)
{
	struct planning f;

	begin(&f, SIDE, BOXES, 1, "courses", 4 * BOXES);
	cr_assert_eq(mp_planner_courses_run(&f.job, 0), PLAN_FOUND);
	cr_assert_eq(f.job.steps, 0);
	cr_assert_leq(f.job.spent, 100 * BOXES);
	mp_arena_free(&f.arena);
}

Test(ruin, ends_lower_than_courses_that_stay)
{
	struct planning f;
	uint64_t courses;

	begin(&f, LARGE_SIDE, LARGE_BOXES, SOME, "ruin", LARGE_STEPS);
	mp_planner_courses_run(&f.job, 0);
	courses = f.job.height;
	f.job.steps = LARGE_STEPS;
	cr_assert_eq(mp_planner_ruin_run(&f.job, 0), PLAN_FOUND);
	cr_assert_lt(f.job.height - LARGE_SIDE, (courses - LARGE_SIDE) * 6 / 10,
		"%lu, courses %lu", (unsigned long)f.job.height,
		(unsigned long)courses);
	mp_arena_free(&f.arena);
}

/* Of few boxes of very different sizes all ranges are dear. */
Test(ruin, ends_a_dive_with_what_is_left)
{
	struct planning f;

	begin(&f, LARGE_SIDE, FEW_BOXES, 1, "ruin", FEW_STEPS);
	cr_assert_eq(mp_planner_ruin_run(&f.job, 0), PLAN_FOUND);
	cr_assert_lt(f.job.height, LARGE_SIDE + LARGE_SIDE / 10);
	mp_arena_free(&f.arena);
}

/* However soon its budget is spent. */
Test(ruin, ends_its_first_dive)
{
	struct planning f;
	uint64_t dive;

	for (uint64_t each = 150; each <= 1200; each += 150) {
		begin(&f, LARGE_SIDE, FEW_BOXES, 1, "ruin", STEPS);
		mp_planner_dive_run(&f.job, 0);
		dive = f.job.height;
		f.job.steps = each * FEW_BOXES;
		cr_assert_eq(mp_planner_ruin_run(&f.job, 0), PLAN_FOUND);
		cr_assert_lt(f.job.height, dive, "%lu steps a box",
			(unsigned long)each);
		mp_arena_free(&f.arena);
	}
}

Test(ruin, goes_no_lower_than_is_possible)
{
	cr_assert_gt(mp_testing_count_least("ruin", PROBLEMS), PROBLEMS / 2);
}

Test(ruin, ends_with_its_budget)
{
	struct planning f;
	uint64_t spent;

	begin(&f, SIDE, BOXES, 1, "ruin", UINT64_MAX);
	mp_planner_dive_run(&f.job, 0);
	spent = f.job.spent;
	f.job.steps = 4 * BOXES;
	cr_assert_neq(mp_planner_ruin_run(&f.job, 0), PLAN_FAILED);
	cr_assert_eq(f.job.steps, 0);
	cr_assert_leq(f.job.spent - spent, 100 * BOXES);
	mp_arena_free(&f.arena);
}

/* Of the progress of a row: the most steps between two looks at the clock. */
struct paces {
	uint64_t last, most;
};

static void note_pace(void *context, const struct job *job)
{
	struct paces *paces = context;

	if (job->spent - paces->last > paces->most)
		paces->most = job->spent - paces->last;
	paces->last = job->spent;
}

/* What rests on a buffer that lives for long is much to take down. */
Test(ruin, looks_often_whether_it_is_to_stop)
{
	struct planning f;
	struct paces paces = {0};
	uint64_t state = 1;

	mp_testing_begin(&f, SHORT + LONG, 2 * SHORT + LONG);
	for (uint32_t i = 0; i < SHORT; i++)
		mp_testing_add(&f.problem, 2 * i,
			2 * i + 2 + mp_testing_below(&state, 4),
			250 + mp_testing_below(&state, 850));
	for (uint32_t i = 0; i < LONG; i++) {
		uint32_t start = mp_testing_below(&state, SHORT);

		mp_testing_add(&f.problem, start,
			start + SHORT / 2 + mp_testing_below(&state, SHORT / 2),
			500 + 200 * mp_testing_below(&state, 3));
	}
	cr_assert(mp_testing_end(&f, "ruin", UINT64_MAX));
	f.job.progress = note_pace;
	f.job.progress_context = &paces;
	cr_assert_neq(mp_planner_dive_run(&f.job, 0), PLAN_FAILED);
	paces = (struct paces){.last = f.job.spent};
	f.job.steps = 300 * SHORT;
	cr_assert_neq(mp_planner_ruin_run(&f.job, 0), PLAN_FAILED);
	cr_assert_leq(paces.most, MOST_AT_ONCE, "%llu",
		(unsigned long long)paces.most);
	mp_arena_free(&f.arena);
}
