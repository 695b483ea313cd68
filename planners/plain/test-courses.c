/*
 * courses: boxes that fill a box, and work that is counted.
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
	STEPS = 2000 * BOXES
};

/* The box is cut in two, and the larger of some pieces again, and so on. */
static void begin(struct planning *f, uint64_t steps)
{
	struct problem *p = &f->problem;
	uint64_t state = 1;

	mp_testing_begin(f, BOXES, SIDE);
	mp_testing_add(p, 0, SIDE, SIDE);
	while (p->n_buffers < BOXES) {
		uint32_t i = mp_testing_below(&state, p->n_buffers);
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
	cr_assert(mp_testing_end(f, "courses", steps));
}

Test(courses, fills_a_box_that_dives_leave_gaps_in)
{
	struct planning f;
	uint64_t dive;

	begin(&f, STEPS);
	cr_assert_eq(f.problem.theoretical_min, SIDE);
	mp_planner_dive_run(&f.job, 0);
	dive = f.job.height;
	cr_assert_gt(dive, SIDE + SIDE / 50);
	mp_planner_courses_run(&f.job, 0);
	cr_assert_leq(f.job.height, SIDE + SIDE / 50, "%lu, dives %lu",
		(unsigned long)f.job.height, (unsigned long)dive);
	mp_arena_free(&f.arena);
}

Test(courses, ends_with_its_budget)
{
	struct planning f;

	begin(&f, 4 * BOXES);
	cr_assert_eq(mp_planner_courses_run(&f.job, 0), PLAN_FOUND);
	cr_assert_eq(f.job.steps, 0);
	cr_assert_leq(f.job.spent, 100 * BOXES);
	mp_arena_free(&f.arena);
}
