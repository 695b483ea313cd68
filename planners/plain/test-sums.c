/*
 * Sums against those that are found one by one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/sums.h"

#include <criterion/criterion.h>
#include <string.h>

#include "testing/random.h"

enum {
	SIZES = 40,
	WORDS = 24,
	SUMS = 64 * WORDS
};

static void find_one_by_one(bool *is, const uint64_t *sizes, uint32_t n)
{
	memset(is, 0, SUMS);
	is[0] = true;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t sum = SUMS; sum-- > sizes[i];)
			is[sum] |= is[sum - sizes[i]];
}

/* Few sizes, so that most are there several times, or many; of less than a
 * word, or of several, or larger than all there is room for. */
Test(sums, are_those_of_any_of_the_sizes)
{
	for (uint64_t seed = mp_testing_first(),
		      n_cases = mp_testing_cases(2000, 50);
		n_cases-- > 0; seed++) {
		uint64_t random = seed, sizes[SIZES];
		uint32_t n = 1 + mp_testing_below(&random, SIZES);
		uint32_t grain = 1 + mp_testing_below(&random, 300);
		uint32_t kinds = 1 + mp_testing_below(&random, 9);
		struct error error = {0};
		struct arena arena = {.error = &error};
		struct sums sums;
		bool is[SUMS];

		for (uint32_t i = 0; i < n; i++)
			sizes[i] = (1 + mp_testing_below(&random, kinds)) *
					   (uint64_t)grain +
				   mp_testing_below(&random, 40) / 39;
		cr_assert(mp_planner_sums_open(&sums, WORDS, &arena));
		cr_assert(!mp_planner_sums_known(&sums));
		find_one_by_one(is, sizes, n);
		mp_planner_sums_find(&sums, sizes, n);
		cr_assert(mp_planner_sums_known(&sums));
		for (uint32_t sum = 0; sum < SUMS; sum++)
			cr_assert_eq(mp_planner_sums_has(&sums, sum), is[sum],
				"%u", sum);
		mp_arena_free(&arena);
	}
}

Test(sums, need_room)
{
	struct error error = {0};
	struct arena arena = {.error = &error};
	uint64_t size = 1;
	struct sums sums;

	cr_assert(mp_planner_sums_open(&sums, 0, &arena));
	mp_planner_sums_find(&sums, &size, 1);
	cr_assert(!mp_planner_sums_known(&sums));
	mp_arena_free(&arena);
}
