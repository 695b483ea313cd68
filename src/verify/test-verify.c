/*
 * The verifier against a comparison of all pairs, on plans that are valid and
 * on plans that are one unit off.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "base/prng.h"
#include "base/threads.h"
#include "testing/random.h"
#include "verify/inside.h"
#include "verify/verify.h"

enum {
	FEW = 12,
	MANY = 100,
	MOST = 1000
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

/* Says of a brief problem what it says of the whole. */
static bool verify(struct fixture *f)
{
	struct problem brief = f->problem;
	struct error error = f->error;
	bool valid = mp_verify(
		&f->problem, f->offsets, MEMPLAN_NO, &f->arena, &f->error);

	brief.parts = NULL;
	cr_assert_eq(
		mp_verify(&brief, f->offsets, MEMPLAN_NO, &f->arena, &error),
		valid);
	cr_assert_str_eq(error.text, f->error.text);
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
		for (uint32_t n = 2 + mp_testing_below(&f.random, FEW - 2);
			n > 0; n--) {
			uint32_t start = mp_testing_below(&f.random, 8);
			uint32_t offset = mp_testing_below(&f.random, 40);
			uint32_t size = 1 + mp_testing_below(&f.random, 4);

			add(&f, start,
				start + 1 +
					mp_testing_below(&f.random, 8 - start),
				size, offset);
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

/* ----------------------------------------------------------- pieces */

/* So many buffers that threads sweep over pieces of them. Each has the bytes of
 * the one before it in its row; one may begin a step early, wherever it is. */
static bool verify_rows(uint32_t early, int helpers)
{
	enum {
		ROWS = 7,
		BUFFERS = 30000,
		LIFE = 3
	};
	struct error error = {0};
	struct threads threads;
	struct arena arena = {.error = &error, .threads = &threads};
	struct problem p = {.name = "test",
		.alignment = 1,
		.n_steps = BUFFERS / ROWS * LIFE + 2 * LIFE,
		.n_streams = 1,
		.n_buffers = BUFFERS,
		.n_parts = BUFFERS,
		.buffers = NEW(&arena, struct buffer, BUFFERS)};
	uint64_t *offsets = NEW(&arena, uint64_t, BUFFERS);
	bool valid;

	mp_threads_init(&threads, helpers);
	for (uint32_t i = 0; i < BUFFERS; i++) {
		uint32_t start = LIFE + i / ROWS * LIFE;

		p.buffers[i] = (struct buffer){8, 1, NO_OFFSET,
			start - (i == early), start + LIFE, i, 1};
		offsets[i] = i % ROWS * 8;
	}
	valid = mp_verify(&p, offsets, MEMPLAN_NO, &arena, &error);
	mp_arena_free(&arena);
	return valid;
}

Test(verify, finds_an_overlap_in_any_piece)
{
	for (int helpers = 0; helpers < 5; helpers++) {
		cr_assert(verify_rows(0, helpers));
		for (uint32_t early = 7; early < 30000; early += 1499)
			cr_assert_not(verify_rows(early, helpers));
		for (uint32_t early = 14990; early < 15010; early++)
			cr_assert_not(verify_rows(early, helpers));
	}
}

/* The lowest bytes that nothing has which is alive too. */
static void place_lowest(struct fixture *f, uint32_t i)
{
	bool moved = true;

	f->offsets[i] = 0;
	while (moved) {
		moved = false;
		for (uint32_t j = 0; j < i; j++) {
			const struct part *a = &f->parts[i], *b = &f->parts[j];

			if (a->start >= b->end || b->start >= a->end ||
				f->offsets[i] >= f->offsets[j] + b->size ||
				f->offsets[j] >= f->offsets[i] + a->size)
				continue;
			f->offsets[i] = f->offsets[j] + b->size;
			moved = true;
		}
	}
}

/* Says what the sweep in time says; what the whole verifier says is the same.
 */
static bool holders_are_apart(struct fixture *f)
{
	struct check check = {.problem = &f->problem,
		.offsets = f->offsets,
		.code = MEMPLAN_NO,
		.error = &f->error};
	bool apart;

	cr_assert(mp_verify_holders(&check, &apart, &f->arena));
	cr_assert_eq(verify(f), apart);
	return apart;
}

/* Many buffers, in order of birth or in none, without much room between them:
 * as they were placed, and after one has been moved. */
Test(verify, agrees_with_all_pairs_of_many)
{
	uint32_t valid = 0, runs = 1000;

	for (uint64_t seed = 1; seed <= runs; seed++) {
		uint32_t birth = 0, size, moved;
		struct fixture f;
		bool apart;

		set_up(&f, seed * 77777);
		f.problem.n_steps = MANY * 3;
		for (uint32_t i = 0; i < MANY; i++) {
			birth = seed % 2
					? birth + mp_testing_below(&f.random, 3)
					: mp_testing_below(&f.random, MANY * 2);
			size = 1 + mp_testing_below(&f.random, 9);
			add(&f, birth,
				birth + 1 + mp_testing_below(&f.random, MANY),
				size, 0);
			place_lowest(&f, i);
		}
		cr_assert(holders_are_apart(&f));
		moved = mp_testing_below(&f.random, MANY);
		f.offsets[moved] += 1 + mp_testing_below(&f.random, 3);
		apart = pairs_are_apart(&f);
		valid += apart;
		cr_assert_eq(holders_are_apart(&f), apart);
	}
	cr_assert(valid > runs / 20 && valid < runs - runs / 20,
		"%u of %u were valid: the test would miss a mistake", valid,
		runs);
}

/* All are alive at one time. What the sweep in order of birth says. */
static bool holders_know(struct fixture *f)
{
	struct check check = {.problem = &f->problem, .offsets = f->offsets};
	bool apart;

	cr_assert(mp_verify_holders(&check, &apart, &f->arena));
	cr_assert(verify(f));
	return apart;
}

/* With addresses that ascend as the ranks of the treap do it is a list. */
Test(verify, takes_no_quadratic_time)
{
	struct fixture plain, list;
	uint64_t random = 1;

	set_up(&plain, 1);
	set_up(&list, 1);
	for (uint32_t i = 0; i < MOST; i++) {
		add(&plain, 0, 8, 1, i);
		add(&list, 0, 8, 1, (uint32_t)mp_prng(&random));
	}
	cr_assert(holders_know(&plain));
	cr_assert_not(holders_know(&list));
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

/* ------------------------------------------------- several memories */

struct pools_fixture {
	struct fixture f;
	struct memory_pool pools[2];
	struct space at[2];
	uint32_t of[MOST], both[2];
	struct pool_list lists[2];
	uint16_t list_of[MOST];
	struct spaces spaces;
};

/* Two buffers of 10 bytes in one pool of 20 bytes, one beside the other. */
static void set_up_pools(struct pools_fixture *p)
{
	*p = (struct pools_fixture){.both = {0, 1}};
	set_up(&p->f, 1);
	add(&p->f, 0, 4, 10, 0);
	add(&p->f, 2, 8, 10, 10);
	for (uint32_t i = 0; i < 2; i++) {
		p->pools[i] = (struct memory_pool){
			.name = "pool", .capacity = 20, .alignment = 1};
		p->at[i] = (struct space){.name = "pool", .pool = i};
	}
	p->lists[0] = (struct pool_list){p->both, 2};
	p->lists[1] = (struct pool_list){p->both, 1};
	p->spaces = (struct spaces){.at = p->at, .n = 2, .of = p->of};
	p->f.problem.pools = p->pools;
	p->f.problem.n_pools = 2;
	p->f.problem.pool_lists = p->lists;
	p->f.problem.pool_list = p->list_of;
}

static bool verify_pools(struct pools_fixture *p)
{
	bool valid = mp_verify_spaces(&p->f.problem, &p->spaces, p->f.offsets,
		MEMPLAN_NO, &p->f.arena, &p->f.error);

	p->f.error.code = MEMPLAN_OK;
	mp_arena_free(&p->f.arena);
	return valid;
}

Test(verify, only_what_lies_in_one_pool_overlaps)
{
	struct pools_fixture p;

	set_up_pools(&p);
	cr_assert(verify_pools(&p));
	p.f.offsets[1] = 9;
	cr_assert_not(verify_pools(&p));
	p.of[1] = 1;
	cr_assert(verify_pools(&p));
	p.f.offsets[1] = 11;
	cr_assert_not(verify_pools(&p), "it ends beyond the capacity");
	p.pools[1].capacity = 21;
	cr_assert(verify_pools(&p));
	p.pools[1].alignment = 2;
	cr_assert_not(verify_pools(&p), "it is not aligned to its pool");
}

Test(verify, a_pool_must_be_allowed)
{
	struct pools_fixture p;

	set_up_pools(&p);
	p.of[1] = 1;
	p.list_of[1] = 1;
	cr_assert_not(verify_pools(&p));
	p.of[1] = 0;
	cr_assert(verify_pools(&p));
}

Test(verify, blocks_share_the_capacity_of_their_pool)
{
	struct pools_fixture p;

	set_up_pools(&p);
	p.at[1].pool = 0;
	p.of[1] = 1;
	p.f.offsets[1] = 0;
	p.pools[0].chunk = 10;
	cr_assert(verify_pools(&p));
	p.f.offsets[1] = 1;
	cr_assert_not(verify_pools(&p), "it ends beyond the chunk");
	p.f.offsets[1] = 0;
	p.pools[0].capacity = 19;
	cr_assert_not(verify_pools(&p), "the blocks are more than the pool");
}
