/*
 * Fixed offsets that a tree finds in a box, against a look at each of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/pins.h"

#include <criterion/criterion.h>

#include "testing/boxes.h"
#include "testing/random.h"

static struct box random_box(uint64_t *state)
{
	uint32_t start = mp_testing_below(state, 99);
	uint64_t low = mp_testing_below(state, 1000);
	uint32_t life = 1 + mp_testing_below(state, (100 - start) / 4 + 1);

	return (struct box){.start = start,
		.end = start + life,
		.low = low,
		.high = low + 1 + mp_testing_below(state, 100)};
}

/* One look at each buffer. */
static bool meets_fixed(const struct problem *p, struct box box)
{
	bool met = false;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct buffer *b = &p->buffers[i];

		met |= b->offset != NO_OFFSET && b->start < box.end &&
		       box.start < b->end && b->offset < box.high &&
		       box.low < b->offset + b->size;
	}
	return met;
}

Test(pins, are_found_in_a_box)
{
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct planning f;
		struct pins pins;
		uint64_t state = seed;
		uint32_t n = mp_testing_below(&state, 60), found = 0;

		mp_testing_begin(&f, n + 1, 100);
		for (uint32_t i = 0; i < n; i++) {
			struct box box = random_box(&state);
			struct buffer *b = mp_testing_add_box(&f.problem, box);

			if (mp_testing_below(&state, 3) > 0)
				b->offset = box.low;
		}
		cr_assert(mp_planner_pins_init(&pins, &f.problem, &f.arena));
		for (int i = 0; i < 100; i++) {
			struct box box = random_box(&state);
			bool met = meets_fixed(&f.problem, box);

			cr_assert_eq(
				met, mp_planner_pins_meet(&pins,
					     &(struct pin_box){.low = box.low,
						     .high = box.high,
						     .start = box.start,
						     .end = box.end}));
			found += met;
		}
		cr_assert(n < 20 || found > 0);
		mp_arena_free(&f.arena);
	}
}
