/*
 * Maps of numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/numbers.h"

#include <criterion/criterion.h>

#include "base/num.h"

/* Numbers below the count, and others that fall among them. */
Test(numbers, finds_what_was_added_first)
{
	enum {
		COUNT = 3000
	};
	static const uint64_t strides[] = {
		1, 2, 3, 4096, 1 << 20, UINT64_C(1) << 40};
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct numbers numbers;

	for (size_t k = 0; k < countof(strides); k++) {
		cr_assert(mp_numbers_init(&numbers, COUNT, &arena));
		for (uint32_t i = 0; i < COUNT; i++) {
			uint64_t number = i < COUNT / 2 ? i : i * strides[k];

			cr_assert_eq(mp_numbers_add(&numbers, number, i), NONE);
			cr_assert_eq(mp_numbers_add(&numbers, number, 7), i);
		}
		for (uint32_t i = COUNT / 2; i < COUNT; i++)
			cr_assert_eq(
				mp_numbers_find(&numbers, i * strides[k]), i);
		cr_assert_eq(mp_numbers_find(&numbers, UINT64_MAX), NONE);
		mp_arena_free(&arena);
	}
}

/* The inverse of what the map multiplies with. */
static uint64_t inverse_of(uint64_t odd)
{
	uint64_t inverse = odd;

	for (int i = 0; i < 5; i++)
		inverse *= 2 - odd * inverse;
	return inverse;
}

/* Numbers of one hash, as an attack chooses them, go into the tree. */
Test(numbers, of_one_hash_are_found)
{
	enum {
		COUNT = 30000
	};
	uint64_t inverse = inverse_of(UINT64_C(0x9e3779b97f4a7c15));
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct numbers numbers;

	cr_assert(mp_numbers_init(&numbers, COUNT, &arena));
	for (uint32_t i = 0; i < COUNT; i++)
		cr_assert_eq(
			mp_numbers_add(&numbers, (i + 1) * inverse, i), NONE);
	cr_assert_geq(numbers.mask - numbers.last, COUNT - 200);
	for (uint32_t i = 0; i < COUNT; i++) {
		uint64_t number = (i + 1) * inverse;

		cr_assert_eq(mp_numbers_add(&numbers, number, 7), i);
		cr_assert_eq(mp_numbers_find(&numbers, number), i);
		number += COUNT * inverse;
		cr_assert_eq(mp_numbers_find(&numbers, number), NONE);
	}
	mp_arena_free(&arena);
}

Test(numbers, a_map_of_none_has_none)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct numbers numbers;

	cr_assert(mp_numbers_init(&numbers, 0, &arena));
	cr_assert_eq(mp_numbers_find(&numbers, 0), NONE);
	mp_arena_free(&arena);
}
