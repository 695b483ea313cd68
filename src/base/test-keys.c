/*
 * Keys that have one hash are still told from each other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/keys.h"

#include <criterion/criterion.h>

static bool add(struct keys *keys, uint64_t hash, uint64_t value)
{
	uint64_t *key = mp_keys_next(keys);

	cr_assert(key);
	key[0] = hash;
	key[1] = value;
	return mp_keys_add(keys);
}

Test(keys, are_compared_whole)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct keys keys;

	cr_assert(mp_keys_init(&keys, 2, &arena));
	for (uint64_t i = 0; i < 2000; i++)
		cr_assert(add(&keys, i % 3, i));
	for (uint64_t i = 0; i < 2000; i++)
		cr_assert(!add(&keys, i % 3, i));
	cr_assert(mp_keys_has(&keys));
	cr_assert_eq(mp_keys_find(&keys), 1999);
	mp_keys_next(&keys)[1] = 2000;
	cr_assert_not(mp_keys_has(&keys));
	cr_assert_eq(mp_keys_find(&keys), NONE);
	cr_assert_eq(keys.n, 2000);
	mp_arena_free(&arena);
}

Test(keys, that_were_cleared_are_new)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct keys keys;

	cr_assert(mp_keys_init(&keys, 2, &arena));
	for (int round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < 700; i++)
			cr_assert(add(&keys, i % 100, i));
		cr_assert_eq(keys.n, 700);
		mp_keys_clear(&keys);
		cr_assert_eq(keys.n, 0);
	}
	mp_arena_free(&arena);
}

Test(keys, of_one_hash_are_a_crowd)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct keys keys[2];

	for (int same = 0; same < 2; same++) {
		cr_assert(mp_keys_init(&keys[same], 2, &arena));
		for (uint64_t i = 0; i < 3000; i++) {
			uint64_t hash = same ? 7 : i * UINT64_C(0x9e3779b9);

			cr_assert(add(&keys[same], hash, i));
		}
		cr_assert_eq(mp_keys_is_crowded(&keys[same]), same);
	}
	mp_arena_free(&arena);
}
