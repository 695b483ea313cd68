/*
 * Maps of names, edit distances, and checked arithmetic.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/names.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

Test(names, finds_what_was_added_first)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct names names;
	char text[100][8];

	cr_assert(mp_names_init(&names, 100, &arena));
	for (uint32_t i = 0; i < 100; i++) {
		sprintf(text[i], "n%u", i);
		cr_assert_eq(mp_names_add(&names, text[i], i), NONE);
	}
	cr_assert_eq(mp_names_add(&names, "n42", 7), 42);
	cr_assert_eq(mp_names_find(&names, "n42"), 42);
	cr_assert_eq(mp_names_find(&names, "n100"), NONE);
	cr_assert_eq(mp_names_find(&names, ""), NONE);
	mp_arena_free(&arena);
}

/* Names of all lengths up to 20 that differ in one letter, in a longer text. */
Test(names, interns_texts_without_an_end)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyz";
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct names names;
	const char *first;

	cr_assert(mp_names_init(&names, 60, &arena));
	for (uint32_t i = 0; i < 60; i++) {
		uint32_t index = i;
		const char *at = text + i % 3;

		first = mp_names_intern(&names, at, i / 3, &index, &arena);
		cr_assert_eq(index, i < 3 ? 0 : i);
		cr_assert_eq(strlen(first), i / 3);
		cr_assert_eq(strncmp(first, at, i / 3), 0);
		cr_assert_eq(mp_names_find_text(&names, at, i / 3), index);
		index = 77;
		cr_assert_eq(mp_names_intern(&names, at, i / 3, &index, &arena),
			first);
		cr_assert_eq(index, i < 3 ? 0 : i);
	}
	cr_assert_eq(mp_names_find_text(&names, text, 25), NONE);
	mp_arena_free(&arena);
}

Test(names, distance_counts_changed_letters)
{
	cr_assert_eq(mp_names_distance("aligment", "alignment", 3), 1);
	cr_assert_eq(mp_names_distance("size", "size", 3), 0);
	cr_assert_eq(mp_names_distance("", "abc", 3), 3);
	cr_assert_eq(mp_names_distance("kitten", "sitting", 3), 3);
	cr_assert_eq(mp_names_distance("abcdef", "uvwxyz", 3), 4);
}

Test(num, refuses_what_does_not_fit)
{
	uint64_t value;

	cr_assert(num_add(NUM_MAX_BYTES - 1, 1, &value));
	cr_assert_not(num_add(NUM_MAX_BYTES, 1, &value));
	cr_assert_not(num_add(UINT64_MAX, 2, &value));
	cr_assert(num_mul(1 << 20, 1 << 20, &value));
	cr_assert_not(num_mul(NUM_MAX_BYTES, 2, &value));
	cr_assert_not(num_mul(UINT64_MAX, UINT64_MAX, &value));
	cr_assert(num_align(513, 512, &value) && value == 1024);
	cr_assert(num_align(0, 512, &value) && value == 0);
	cr_assert_not(num_align(UINT64_MAX, 512, &value));
}
