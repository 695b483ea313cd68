/*
 * Tests of sorting and of binary search.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stddef.h>
#include <string.h>

#include "base/prng.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/threads.h"

enum {
	MOST = 200,
	MANY = 60000,
	VERY_MANY = 300000
};

struct element {
	uint64_t offset;
	uint32_t other, step;
};

/* As many values as asked for, below a limit, so that some are equal. */
static void draw(uint32_t *values, uint32_t n, uint32_t limit, uint64_t *state)
{
	for (uint32_t i = 0; i < n; i++)
		values[i] = (uint32_t)(mp_prng(state) >> 33) % limit;
}

static uint32_t count_equal(const uint32_t *values, uint32_t n, uint32_t value)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += values[i] == value;
	return count;
}

Test(sort, values_ascend_and_none_is_lost)
{
	uint32_t drawn[MOST], narrow[MOST];
	uint64_t wide[MOST], state = 1;

	for (uint32_t n = 0; n <= MOST; n++) {
		draw(drawn, n, 50, &state);
		memcpy(narrow, drawn, n * sizeof(*drawn));
		for (uint32_t i = 0; i < n; i++)
			wide[i] = (uint64_t)drawn[i] << 40;
		mp_sort_u32(narrow, n);
		mp_sort_u64(wide, n);
		for (uint32_t i = 0; i < n; i++) {
			cr_assert(i == 0 || narrow[i - 1] <= narrow[i]);
			cr_assert_eq(wide[i], (uint64_t)narrow[i] << 40);
			cr_assert_eq(count_equal(drawn, n, drawn[i]),
				count_equal(narrow, n, drawn[i]));
		}
	}
}

Test(sort, unique_values_are_what_was_there)
{
	uint32_t drawn[MOST], narrow[MOST], kept;
	uint64_t wide[MOST], state = 2;

	for (uint32_t n = 0; n <= MOST; n++) {
		draw(drawn, n, 60, &state);
		memcpy(narrow, drawn, n * sizeof(*drawn));
		for (uint32_t i = 0; i < n; i++)
			wide[i] = (uint64_t)drawn[i] << 40;
		kept = mp_sort_unique_u32(narrow, n);
		cr_assert_eq(mp_sort_unique_u64(wide, n), kept);
		for (uint32_t i = 0; i < kept; i++) {
			cr_assert(i == 0 || narrow[i - 1] < narrow[i]);
			cr_assert_eq(wide[i], (uint64_t)narrow[i] << 40);
		}
		for (uint32_t i = 0; i < n; i++)
			cr_assert_eq(count_equal(narrow, kept, drawn[i]), 1);
	}
}

Test(sort, comparison_looks_at_one_key_after_the_other)
{
	const uint64_t high = UINT64_C(1) << 63;

	cr_assert_eq(mp_sort_compare(0, high), -1);
	cr_assert_eq(mp_sort_compare(high, 0), 1);
	cr_assert_eq(mp_sort_compare(high, high), 0);
	cr_assert_eq(mp_sort_compare_two(1, 2, 9, 0), -1);
	cr_assert_eq(mp_sort_compare_two(2, 2, 9, 0), 1);
	cr_assert_eq(mp_sort_compare_two(2, 2, 9, 9), 0);
	cr_assert_eq(mp_sort_compare_three(3, 1, 0, 9, 0, 9), 1);
	cr_assert_eq(mp_sort_compare_three(1, 1, 0, 9, 9, 0), -1);
	cr_assert_eq(mp_sort_compare_three(1, 1, 2, 2, 9, 0), 1);
	cr_assert_eq(mp_sort_compare_three(1, 1, 2, 2, 3, 3), 0);
}

/* Equal keys keep their order. */
static void assert_sorted(
	const uint32_t *indices, uint32_t n, const uint64_t *key)
{
	for (uint32_t i = 1; i < n; i++) {
		uint32_t a = indices[i - 1], b = indices[i];

		cr_assert(key[a] < key[b] || (key[a] == key[b] && a < b));
	}
}

static void sort_some(uint32_t n, bool even)
{
	static uint32_t indices[10000], scratch[10000];
	static uint64_t key[10000];
	uint64_t random = 7 + n;

	for (uint32_t i = 0; i < n; i++) {
		indices[i] = i;
		key[i] = mp_prng(&random) >> (even ? 54 : i % 64);
	}
	mp_sort_radix(indices, scratch, n, key);
	assert_sorted(indices, n, key);
}

/* Insertion sorts some of these, one pass others, if keys are even, then short
 * digits, long ones the last. */
Test(sort, radix_sorts_and_is_stable)
{
	for (uint32_t n = 0; n <= 10000; n += 10 + n / 4) {
		sort_some(n, false);
		sort_some(n, true);
	}
}

/* Number of values below another one: its lower bound. */
static uint32_t count_below(const uint32_t *values, uint32_t n, uint32_t value)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += values[i] < value;
	return count;
}

Test(search, finds_the_lower_bound)
{
	uint32_t narrow[MOST];
	uint64_t wide[MOST], state = 3;

	for (uint32_t n = 0; n <= MOST; n++) {
		draw(narrow, n, 90, &state);
		mp_sort_u32(narrow, n);
		for (uint32_t i = 0; i < n; i++)
			wide[i] = (uint64_t)narrow[i] << 40;
		for (uint32_t value = 0; value <= 91; value++) {
			uint32_t bound = count_below(narrow, n, value);

			cr_assert_eq(mp_search_u32(narrow, n, value), bound);
			cr_assert_eq(
				mp_search_u64(wide, n, (uint64_t)value << 40),
				bound);
		}
	}
	cr_assert_eq(mp_search_u32(NULL, 0, 7), 0);
	cr_assert_eq(mp_search_u64(NULL, 0, 7), 0);
}

Test(search, finds_the_lower_bound_by_a_key)
{
	struct element elements[MOST] = {0};
	uint32_t values[MOST];
	uint64_t state = 4;

	draw(values, MOST, 90, &state);
	mp_sort_u32(values, MOST);
	for (uint32_t i = 0; i < MOST; i++)
		elements[i] = (struct element){
			(uint64_t)values[i] << 40, MOST - i, values[i]};
	for (uint32_t value = 0; value <= 91; value++) {
		uint32_t bound = count_below(values, MOST, value);

		cr_assert_eq(
			mp_search_key_u32(elements, sizeof(*elements),
				offsetof(struct element, step), MOST, value),
			bound);
		cr_assert_eq(mp_search_key_u64(elements, sizeof(*elements),
				     offsetof(struct element, offset), MOST,
				     (uint64_t)value << 40),
			bound);
	}
}

Test(sort, is_the_same_by_two_threads)
{
	static const uint64_t below[] = {1, 2, 3000, 1 << 30, UINT64_MAX};
	static uint64_t key[MANY];
	static uint32_t plain[MANY], shared[MANY], spare[MANY];
	struct threads threads;
	uint64_t state = 4;

	for (uint32_t k = 0; k < 5 * 4; k++) {
		uint32_t n = MANY - k;

		mp_threads_init(&threads, (int)(k % 4));
		for (uint32_t i = 0; i < n; i++) {
			key[i] = mp_prng(&state) % below[k / 4];
			plain[i] = shared[i] = n - 1 - i;
		}
		mp_sort_radix(plain, spare, n, key);
		mp_sort_radix_shared(&threads, shared, spare, n, key);
		cr_assert_arr_eq(plain, shared, sizeof(*plain) * n);
	}
}

/* Long keys of very many go by the first digit: of even ones no two are equal,
 * of uneven ones most are equal in it, and of some all are but one. */
Test(sort, very_many_are_sorted_by_one_thread_and_by_two)
{
	static uint64_t key[VERY_MANY];
	static uint32_t plain[VERY_MANY], shared[VERY_MANY], spare[VERY_MANY];
	struct threads threads;
	uint64_t state = 5;

	for (uint32_t kind = 0; kind < 3; kind++) {
		for (uint32_t i = 0; i < VERY_MANY; i++) {
			uint32_t bits = kind == 0 ? 0 : kind == 1 ? i % 60 : 12;

			key[i] = mp_prng(&state) >> bits;
			plain[i] = shared[i] = i;
		}
		key[VERY_MANY / 2] = UINT64_MAX;
		mp_threads_init(&threads, (int)kind);
		mp_sort_radix(plain, spare, VERY_MANY, key);
		mp_sort_radix_shared(&threads, shared, spare, VERY_MANY, key);
		assert_sorted(plain, VERY_MANY, key);
		cr_assert_arr_eq(plain, shared, sizeof(plain));
	}
}
