/*
 * missing: what was cut out of a full problem, with some pieces missing.
 *
 * SPDX-License-Identifier: MIT
 */

#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random.h"

enum {
	STEPS = 200,
	LIFE = 4,
	HEIGHT = 1000,
	BOXES = 1000,
	BOX_STEPS = 4000,
	SWEPT = 300,
	PLACES = 30,
	PLACE = 4096
};

struct swept {
	uint32_t edge[PLACES + 1], start[PLACES]; /* of what is alive */
	uint64_t state;
};

/* Two at a time fill all; one in so many is left out. */
static void make(struct planning *f, uint32_t one_in, uint64_t *state)
{
	uint32_t part = 1 + mp_testing_below(state, HEIGHT - 1);

	mp_testing_begin(f, 2 * STEPS, STEPS);
	for (uint32_t t = 0; t < STEPS; t += LIFE) {
		bool gone = t > 0 && mp_testing_one_in(state, one_in);

		if (!gone)
			mp_testing_add(&f->problem, t, t + LIFE, part);
		mp_testing_add(&f->problem, t, t + LIFE, HEIGHT - part);
		part = 1 + mp_testing_below(state, HEIGHT - 1);
	}
	cr_assert(mp_testing_end(f, "missing", 1000000));
	cr_assert_eq(f->problem.theoretical_min, HEIGHT);
}

Test(missing, are_filled)
{
	uint32_t n_found = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct planning f;
		uint64_t state = seed;

		make(&f, 30, &state);
		n_found += mp_testing_plan(&f.job, "missing") == PLAN_OPTIMAL;
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(n_found, 10);
}

/* Three neighbours end, and what they had is cut anew, if it is not too small.
 */
static void turn(struct planning *f, uint32_t t, struct swept *s, bool is_gone)
{
	uint32_t first = 1 + mp_testing_below(&s->state, PLACES - 2);
	uint32_t *edge = &s->edge[first], low = edge[-1], high = edge[2];
	uint32_t part = (high - low) / 4;

	if (part == 0)
		return;
	for (uint32_t k = 0; k < 3; k++) {
		if (!is_gone || k > 0)
			mp_testing_add(&f->problem, s->start[first + k - 1], t,
				s->edge[first + k] - s->edge[first + k - 1]);
		s->start[first + k - 1] = t;
	}
	edge[0] = low + part + mp_testing_below(&s->state, part);
	edge[1] = high - part + mp_testing_below(&s->state, part);
}

/* One turn in twenty leaves one out, but the first ones none. */
static void sweep(struct planning *f, uint64_t seed)
{
	struct swept s = {.state = seed};

	mp_testing_begin(f, SWEPT + 3, SWEPT);
	for (uint32_t k = 0; k <= PLACES; k++)
		s.edge[k] = k * PLACE;
	for (uint32_t t = 1; f->problem.n_buffers < SWEPT - PLACES; t++)
		turn(f, t, &s, t > 10 && mp_testing_one_in(&s.state, 20));
	for (uint32_t k = 0; k < PLACES; k++)
		mp_testing_add(&f->problem, s.start[k], SWEPT,
			s.edge[k + 1] - s.edge[k]);
	cr_assert(mp_testing_end(f, "auto", 100000));
}

/* The other rows of auto end some of these above the load. */
Test(missing, are_filled_by_auto_where_buffers_are_few)
{
	uint32_t n_found = 0;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct planning f;

		sweep(&f, seed);
		n_found += mp_testing_plan(&f.job, "auto") == PLAN_OPTIMAL;
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(n_found, 8, "%u", n_found);
}

/* Cuts one of the boxes in two, across time or across height. */
static void cut(struct problem *p, uint64_t *state)
{
	uint32_t i = mp_testing_below(state, p->n_buffers);
	struct buffer *b = &p->buffers[i];
	uint32_t start = b->start, end = b->end, size = (uint32_t)b->size;

	if (mp_testing_below(state, 2) == 0 && end - start > 1) {
		b->end = start + 1 + mp_testing_below(state, end - start - 1);
		p->parts[i].end = b->end;
		mp_testing_add(p, b->end, end, size);
	} else if (size > 1) {
		b->size = 1 + mp_testing_below(state, size - 1);
		p->parts[i].size = b->size;
		mp_testing_add(p, start, end, size - (uint32_t)b->size);
	}
}

/* What is born says little of these: jigsaw has most of the budget. */
Test(missing, are_filled_where_much_fits_by_chance)
{
	struct planning f;
	uint64_t state = 1;
	struct problem *p = &f.problem;

	mp_testing_begin(&f, BOXES, BOX_STEPS);
	mp_testing_add(p, 0, BOX_STEPS, HEIGHT);
	while (p->n_buffers < BOXES)
		cut(p, &state);
	p->n_buffers -= 3;
	p->n_parts -= 3;
	cr_assert(mp_testing_end(&f, "missing", 1000000));
	cr_assert_eq(p->theoretical_min, HEIGHT);
	cr_assert_eq(mp_testing_plan(&f.job, "missing"), PLAN_OPTIMAL);
	mp_arena_free(&f.arena);
}

Test(missing, are_few)
{
	struct planning f;
	uint64_t state = 1;

	make(&f, 2, &state);
	cr_assert_eq(mp_testing_plan(&f.job, "missing"), PLAN_GAVE_UP);
	cr_assert_not_null(f.job.declined);
	mp_arena_free(&f.arena);
}

/* A full problem is not its own. */
Test(missing, are_there)
{
	struct planning f;

	mp_testing_begin(&f, 20, 1);
	for (uint32_t i = 0; i < 20; i++)
		mp_testing_add(&f.problem, 0, 1, 7);
	cr_assert(mp_testing_end(&f, "missing", 1000));
	cr_assert_eq(mp_testing_plan(&f.job, "missing"), PLAN_GAVE_UP);
	mp_arena_free(&f.arena);
}

/* One piece after the other that is a little smaller than the last. */
Test(missing, are_too_many_bytes)
{
	struct planning f;

	mp_testing_begin(&f, 2000, 41);
	mp_testing_add(&f.problem, 0, 1, UINT64_C(1) << 60);
	for (uint32_t t = 1; t < 40; t++)
		mp_testing_add(&f.problem, t, 41, 1);
	for (uint32_t i = 0; i < 1000; i++)
		mp_testing_add(&f.problem, 0, 41, 1);
	cr_assert(mp_testing_end(&f, "missing", 1000));
	cr_assert_eq(mp_testing_plan(&f.job, "missing"), PLAN_GAVE_UP);
	mp_arena_free(&f.arena);
}
