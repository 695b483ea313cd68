/*
 * Orders of stacks that keep fixed offsets, against all orders.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/hang.h"

#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random.h"

enum {
	STACKED = 5,
	HEIGHT = 14,
	BUFFERS = STACKED + 2
};

/* The second of the stack is a chain of two. */
static const uint64_t sizes[BUFFERS] = {1, 3, 2, 3, 5, 3, 3};

/* Into a stack of stacks. */
static uint32_t join(struct compounds *c)
{
	uint32_t whole = mp_planner_compounds_join(
		c, JOIN_CHAIN, (uint32_t[]){BUFFERS - 2, BUFFERS - 1});

	for (uint32_t i = 0; i < STACKED; i++)
		if (i != 1)
			whole = mp_planner_compounds_join(
				c, JOIN_STACK, (uint32_t[]){i, whole});
	return whole;
}

/* Some order of the stack, of which the second member is the chain, has both
 * fixed offsets where they are to be. */
static bool some_order_keeps(const struct problem *p)
{
	bool keeps = false;

	for (uint32_t k = 0; k < 5 * 5 * 5 * 5 * 5 && !keeps; k++) {
		uint32_t digits = k, taken = 0;
		uint64_t at = 0;
		bool fine = true;

		for (int d = 0; d < STACKED; d++, digits /= STACKED) {
			uint32_t i = digits % STACKED;
			uint64_t size = sizes[i];

			fine &= !(taken >> i & 1);
			taken |= 1u << i;
			for (uint32_t b = 0; b < BUFFERS; b++)
				if (b == i || (i == 1 && b >= STACKED))
					fine &= p->buffers[b].offset ==
							NO_OFFSET ||
						p->buffers[b].offset == at;
			at += size;
		}
		keeps = fine;
	}
	return keeps;
}

static void expect_kept(const struct problem *p, const uint64_t *offsets)
{
	for (uint32_t i = 0; i < BUFFERS; i++) {
		if (i == 1)
			continue;
		cr_assert(p->buffers[i].offset == NO_OFFSET ||
			  p->buffers[i].offset == offsets[i]);
		cr_assert_leq(offsets[i] + sizes[i], HEIGHT);
		for (uint32_t k = 0; k < i; k++)
			cr_assert(k == 1 ||
				  p->buffers[k].end <= p->buffers[i].start ||
				  p->buffers[i].end <= p->buffers[k].start ||
				  offsets[k] + sizes[k] <= offsets[i] ||
				  offsets[i] + sizes[i] <= offsets[k]);
	}
}

/* The buffer of index 1 stands for the chain, and is apart in time. */
static void begin(struct planning *f)
{
	mp_testing_begin(f, BUFFERS, 20);
	for (uint32_t i = 0; i < STACKED; i++)
		mp_testing_add(&f->problem, i == 1 ? 10 : 0, i == 1 ? 20 : 10,
			sizes[i]);
	mp_testing_add(&f->problem, 0, 4, sizes[STACKED]);
	mp_testing_add(&f->problem, 4, 10, sizes[STACKED + 1]);
	cr_assert(mp_testing_end(f, "jigsaw", 1000));
}

Test(hang, finds_an_order_if_there_is_one)
{
	uint32_t n_found = 0;

	for (uint64_t seed = 1; seed <= 500; seed++) {
		uint64_t offsets[BUFFERS], state = seed;
		struct planning f;
		struct compounds c;
		struct problem fixed;
		bool found;
		uint32_t whole;

		begin(&f);
		cr_assert(mp_planner_compounds_init(&c, &f.problem, &f.arena));
		whole = join(&c);
		cr_assert_neq(whole, NONE);
		fixed = f.problem;
		for (uint32_t k = 0; k < 3; k++) {
			uint32_t i = mp_testing_below(&state, BUFFERS);

			if (i != 1)
				fixed.buffers[i].offset =
					mp_testing_below(&state, HEIGHT);
		}
		cr_assert(mp_planner_hang(
			&c, whole, &fixed, &f.job, offsets, &found));
		cr_assert_eq(
			found, some_order_keeps(&fixed), "seed %d", (int)seed);
		if (found)
			expect_kept(&fixed, offsets);
		n_found += found;
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(n_found, 20);
	cr_assert_lt(n_found, 480);
}
