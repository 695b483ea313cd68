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

/* ------------------------------------------------- one hash for all */

enum {
	BLOCKS = 15,
	BLOCK = 16,
	CHOSEN = 1 << BLOCKS
};

/* What the map does with 8 bytes of a name. */
static uint64_t hash_on(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Two texts of 16 bytes that the hash does not tell apart: it differs in two
 * bits after the first 8 bytes, and the others take that back. */
static void make_pair(uint64_t *hash, char pair[2][BLOCK])
{
	uint64_t flip = UINT64_C(1) << 62, first = UINT64_C(0x3030303030303030);
	uint64_t second = first, change;

	do {
		first++;
		change = hash_on(*hash, first) ^ hash_on(*hash, first ^ flip);
	} while (change != (flip | flip >> 29));
	for (int i = 0; i < 2; i++) {
		memcpy(pair[i], &first, 8);
		memcpy(pair[i] + 8, &second, 8);
		first ^= flip;
		second ^= change;
	}
	*hash = hash_on(hash_on(*hash, first), second);
}

/* Names of one hash, as an attack chooses them, go into the tree. */
Test(names, of_one_hash_are_found)
{
	char pairs[BLOCKS][2][BLOCK], (*text)[BLOCKS * BLOCK + 1];
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ BLOCKS * BLOCK;
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct names names;

	for (int k = 0; k < BLOCKS; k++)
		make_pair(&hash, pairs[k]);
	text = mp_arena_alloc(&arena, CHOSEN, sizeof(*text));
	cr_assert(text && mp_names_init(&names, CHOSEN / 2, &arena));
	for (uint32_t i = 0; i < CHOSEN; i++)
		for (int k = 0; k < BLOCKS; k++)
			memcpy(text[i] + (size_t)k * BLOCK,
				pairs[k][i >> k & 1], BLOCK);
	for (uint32_t i = 0; i < CHOSEN / 2; i++)
		cr_assert_eq(mp_names_add(&names, text[i], i), NONE);
	cr_assert_geq(names.mask - names.last, CHOSEN / 2 - 200);
	for (uint32_t i = 0; i < CHOSEN; i++)
		cr_assert_eq(mp_names_find(&names, text[i]),
			i < CHOSEN / 2 ? i : NONE);
	cr_assert_eq(mp_names_add(&names, text[77], 7), 77);
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
