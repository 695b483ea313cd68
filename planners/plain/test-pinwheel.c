/*
 * Pinwheels that are found, against all choices of five.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/pinwheel.h"

#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random.h"

enum {
	BOXES = 12,
	STEPS = 6,
	SIZES = 3
};

/* As the drawing in the header. */
static bool is_pinwheel(
	const struct compound *at, const uint32_t five[WHEEL_ROLES])
{
	const struct compound *under = &at[five[WHEEL_UNDER]];
	const struct compound *after = &at[five[WHEEL_AFTER]];
	const struct compound *over = &at[five[WHEEL_OVER]];
	const struct compound *before = &at[five[WHEEL_BEFORE]];
	const struct compound *middle = &at[five[WHEEL_MIDDLE]];

	return under->start == before->start && under->end == middle->end &&
	       after->start == middle->end && after->end == over->end &&
	       over->start == middle->start && before->end == middle->start &&
	       before->size == middle->size + over->size &&
	       after->size == middle->size + under->size;
}

static bool has_pinwheel(const struct compounds *c, uint32_t with, int role)
{
	uint32_t five[WHEEL_ROLES];

	for (uint32_t k = 0; k < BOXES * BOXES * BOXES * BOXES; k++) {
		uint32_t digits = k;

		for (int i = 0; i < WHEEL_ROLES; i++) {
			five[i] = i == role ? with : digits % BOXES;
			digits /= i == role ? 1 : BOXES;
		}
		if (is_pinwheel(c->at, five))
			return true;
	}
	return false;
}

/* A pinwheel, and whatever else. */
static void add_boxes(struct problem *p, uint64_t *state)
{
	mp_testing_add(p, 0, 4, 1);
	mp_testing_add(p, 4, 6, 3);
	mp_testing_add(p, 2, 6, 1);
	mp_testing_add(p, 0, 2, 3);
	mp_testing_add(p, 2, 4, 2);
	for (uint32_t i = 5; i < BOXES; i++) {
		uint32_t start = mp_testing_below(state, STEPS);
		uint32_t end =
			start + 1 + mp_testing_below(state, STEPS - start);

		mp_testing_add(
			p, start, end, 1 + mp_testing_below(state, SIZES));
	}
}

Test(pinwheel, is_found_by_each_of_the_five)
{
	uint32_t n_found = 0, five[WHEEL_ROLES];

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct planning f;
		struct compounds c;
		uint64_t state = seed, looks = 0;

		mp_testing_begin(&f, BOXES, STEPS);
		add_boxes(&f.problem, &state);
		cr_assert(mp_testing_end(&f, "jigsaw", 1000));
		cr_assert(mp_planner_compounds_init(&c, &f.problem, &f.arena));
		for (uint32_t i = 0; i < BOXES * WHEEL_ROLES; i++) {
			int role = (int)i % WHEEL_ROLES;
			bool found = mp_planner_pinwheel_find(&c, LIVE_ONES,
				i / WHEEL_ROLES, (enum wheel_role)role, NULL,
				five, &looks);

			cr_assert_eq(
				found, has_pinwheel(&c, i / WHEEL_ROLES, role));
			cr_assert(!found || is_pinwheel(c.at, five));
			n_found += found;
		}
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(n_found, 20 * WHEEL_ROLES);
}
