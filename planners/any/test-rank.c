/*
 * The orders of SOMAS's second sort and of TFLM, against their definitions.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "planners/any/rank.h"
#include "testing/random-problem.h"

static uint32_t first_peak(const struct problem *p)
{
	uint32_t peak = 0;

	for (uint32_t k = 0; k < p->n_steps; k++)
		if (p->load[k] > p->load[peak])
			peak = k;
	return peak;
}

/* Bytes of the peak that the first part of a buffer may have too. */
static uint64_t shareable(const struct problem *p, uint32_t buffer)
{
	uint32_t peak = first_peak(p), first = p->buffers[buffer].first_part;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < p->n_parts; i++)
		if (p->parts[i].buffer != buffer && p->parts[i].start <= peak &&
			p->parts[i].end > peak &&
			!mp_problem_conflict(p, first, i))
			bytes += p->parts[i].size;
	return bytes;
}

static void expect_order(const struct problem *p, const uint32_t *order)
{
	for (uint32_t i = 1; i < p->n_buffers; i++) {
		uint64_t a = shareable(p, order[i - 1]);
		uint64_t b = shareable(p, order[i]);

		cr_expect_leq(a, b);
		if (a == b)
			cr_expect_geq(p->buffers[order[i - 1]].size,
				p->buffers[order[i]].size);
	}
}

Test(rank, puts_buffers_first_that_may_share_least_of_the_peak)
{
	static const struct random_shape shapes[] = {
		{.buffers = 12},
		{.buffers = 8, .parts = true},
		{.buffers = 8, .streams = 3, .steps = 12},
		{.buffers = 8, .apart = true, .choices = true},
	};
	static const enum rank_key keys[RANK_KEYS] = {RANK_PEAK, RANK_SIZE};
	uint32_t order[64], differ = 0;

	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct error e = {0};
		struct arena arena = {.error = &e};
		struct problem p;

		memset(&p, 0, sizeof(p));
		cr_assert(mp_testing_random_problem(
			seed, &shapes[seed % 4], &p, &arena));
		cr_assert_leq(p.n_buffers, countof(order));
		cr_assert(mp_planner_rank_buffers(&p, keys, order, &arena));
		expect_order(&p, order);
		differ += p.n_buffers > 1 &&
			  shareable(&p, order[0]) !=
				  shareable(&p, order[p.n_buffers - 1]);
		mp_arena_free(&arena);
	}
	cr_expect_gt(differ, 100, "%u of 400 problems", differ);
}

Test(rank, puts_the_last_of_equal_size_first)
{
	static const struct random_shape shape = {.buffers = 12};
	static const enum rank_key keys[RANK_KEYS] = {RANK_SIZE, RANK_LAST};
	uint32_t order[64], equal = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct error e = {0};
		struct arena arena = {.error = &e};
		struct problem p;

		memset(&p, 0, sizeof(p));
		cr_assert(mp_testing_random_problem(seed, &shape, &p, &arena));
		cr_assert(mp_planner_rank_buffers(&p, keys, order, &arena));
		for (uint32_t i = 1; i < p.n_buffers; i++) {
			uint64_t a = p.buffers[order[i - 1]].size;
			uint64_t b = p.buffers[order[i]].size;

			cr_expect_geq(a, b);
			cr_expect(a > b || order[i - 1] > order[i]);
			equal += a == b;
		}
		mp_arena_free(&arena);
	}
	cr_expect_gt(equal, 0);
}
