/*
 * Blocks against a plain map of bytes: what is taken is free, the best fit, and
 * what is free lies in as few pieces as can be.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/blocks.h"

#include <criterion/criterion.h>

#include "testing/random.h"

enum {
	BYTES = 64,
	ROUNDS = 20000,
	LIST = 0
};

struct map {
	uint32_t owner[BYTES]; /* NONE: free */
};

/* The least run of free bytes that is long enough, the lowest of equals; BYTES:
 * there is none. */
static uint32_t plain_fit(const struct map *map, uint32_t size)
{
	uint32_t best = BYTES, least = BYTES + 1;

	for (uint32_t at = 0, end; at < BYTES; at = end + 1) {
		end = at;
		while (end < BYTES && map->owner[end] == NONE)
			end++;
		if (end - at < size || end - at >= least)
			continue;
		best = at;
		least = end - at;
	}
	return best;
}

static uint32_t take(struct blocks *b, uint32_t size)
{
	uint32_t block = mp_blocks_take(b, LIST, size);

	if (block != NONE && b->at[block].size > size)
		mp_blocks_put(b, mp_blocks_split(b, block, size));
	return block;
}

Test(blocks, take_the_best_fit_and_merge_what_is_free)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct map map;
	struct blocks b = {0};
	uint32_t taken[BYTES], n = 0, block, at, size;
	uint64_t state = 7;

	cr_assert(mp_blocks_init(&b, 2 * BYTES, &arena));
	block = mp_blocks_new(&b);
	b.at[block].size = BYTES;
	mp_blocks_settle(&b, block);
	for (uint32_t i = 0; i < BYTES; i++)
		map.owner[i] = NONE;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		if (n > 0 && mp_testing_one_in(&state, 2)) {
			at = mp_testing_below(&state, n);
			block = taken[at];
			taken[at] = taken[--n];
			for (uint32_t i = 0; i < BYTES; i++)
				if (map.owner[i] == block)
					map.owner[i] = NONE;
			mp_blocks_give(&b, block);
			continue;
		}
		size = 1 + mp_testing_below(&state, 12);
		at = plain_fit(&map, size);
		block = take(&b, size);
		cr_assert_eq(block == NONE, at == BYTES);
		if (block == NONE)
			continue;
		cr_assert_eq(b.at[block].rank, at);
		for (uint32_t i = at; i < at + size; i++)
			map.owner[i] = block;
		taken[n++] = block;
	}
	mp_arena_free(&arena);
}
