/*
 * The verifier against a comparison of all pairs, on plans that are valid and
 * on plans that are one unit off.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify.h"

#include <criterion/criterion.h>

enum {
	MOST = 12
};

struct fixture {
	struct error error;
	struct arena arena;
	struct problem problem;
	struct buffer buffers[MOST];
	struct part parts[MOST];
	uint64_t offsets[MOST];
	uint64_t random;
};

static uint32_t below(struct fixture *f, uint32_t n)
{
	f->random = f->random * UINT64_C(6364136223846793005) + 1442695041;
	return (uint32_t)(f->random >> 33) % n;
}

static void set_up(struct fixture *f, uint64_t seed)
{
	*f = (struct fixture){.random = seed};
	f->arena.error = &f->error;
	f->problem = (struct problem){.name = "test",
		.alignment = 1,
		.n_steps = 8,
		.n_streams = 1,
		.buffers = f->buffers,
		.parts = f->parts};
}

static void add(struct fixture *f, uint32_t start, uint32_t end, uint64_t size,
	uint64_t offset)
{
	uint32_t i = f->problem.n_buffers++;

	f->problem.n_parts++;
	f->parts[i] = (struct part){0, size, start, end, i};
	f->buffers[i] = (struct buffer){size, 1, NO_OFFSET, start, end, i, 1};
	f->offsets[i] = offset;
}

static bool verify(struct fixture *f)
{
	bool valid = mp_verify(
		&f->problem, f->offsets, MEMPLAN_NO, &f->arena, &f->error);

	mp_arena_free(&f->arena);
	return valid;
}

static bool pairs_are_apart(const struct fixture *f)
{
	for (uint32_t i = 0; i < f->problem.n_parts; i++)
		for (uint32_t j = 0; j < i; j++) {
			const struct part *a = &f->parts[i], *b = &f->parts[j];

			if (a->start < b->end && b->start < a->end &&
				f->offsets[i] < f->offsets[j] + b->size &&
				f->offsets[j] < f->offsets[i] + a->size)
				return false;
		}
	return true;
}

Test(verify, agrees_with_all_pairs)
{
	uint32_t valid = 0, runs = 20000;

	for (uint64_t seed = 1; seed <= runs; seed++) {
		struct fixture f;
		bool apart;

		set_up(&f, seed * 77777);
		for (uint32_t n = 2 + below(&f, MOST - 2); n > 0; n--) {
			uint32_t start = below(&f, 8);

			add(&f, start, start + 1 + below(&f, 8 - start),
				1 + below(&f, 4), below(&f, 40));
		}
		apart = pairs_are_apart(&f);
		valid += apart;
		cr_assert_eq(verify(&f), apart, "seed %llu",
			(unsigned long long)seed);
	}
	cr_assert(valid > runs / 20 && valid < runs - runs / 20,
		"%u of %u were valid: the test would miss a mistake", valid,
		runs);
}

Test(verify, touching_is_no_overlap)
{
	struct fixture f;

	set_up(&f, 1);
	add(&f, 0, 4, 10, 0);
	add(&f, 0, 4, 10, 10);
	add(&f, 4, 8, 20, 0);
	cr_assert(verify(&f));
	f.offsets[1] = 9;
	cr_assert_not(verify(&f));
	cr_assert_eq(f.error.code, MEMPLAN_NO);
}

Test(verify, refuses_bad_alignment_pins_and_range)
{
	struct fixture f;

	set_up(&f, 1);
	add(&f, 0, 1, 10, 8);
	f.buffers[0].align = 16;
	cr_assert_not(verify(&f));
	f.error.code = MEMPLAN_OK;
	f.offsets[0] = 16;
	cr_assert(verify(&f));
	f.buffers[0].offset = 32;
	cr_assert_not(verify(&f));
	f.error.code = MEMPLAN_OK;
	f.buffers[0].offset = NO_OFFSET;
	f.offsets[0] = UINT64_MAX - 15;
	cr_assert_not(verify(&f));
}

/* Two streams: a is over for stream 1 from position 1 on. What is born there at
 * position 1 may take its bytes, what is born at position 0 may not. */
Test(verify, streams_decide_by_what_happened_before)
{
	struct fixture f;
	uint32_t stream[] = {0, 1}, born[] = {0, 1};
	uint32_t free_from[] = {1, 1, 9, 9};

	set_up(&f, 1);
	add(&f, 0, 6, 10, 0);
	add(&f, 3, 8, 10, 0);
	cr_assert_not(verify(&f));
	f.error.code = MEMPLAN_OK;
	f.problem.n_streams = 2;
	f.problem.stream = stream;
	f.problem.born = born;
	f.problem.free = free_from;
	cr_assert(verify(&f));
	born[1] = 0;
	cr_assert_not(verify(&f));
}
