/*
 * A set of numbers below n that finds the next and the previous member: a
 * hierarchical bitmap. Each bit of a level says whether a word of the level
 * below is not 0.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_BITSET_H
#define MP_BASE_BITSET_H

#include <assert.h>
#include <string.h>

#include "base/arena.h"

enum {
	BITS_WORD = 64,
	BITS_LEVELS = 6 /* 64^6 is more than 32 bits number */
};

struct bits {
	uint64_t *level[BITS_LEVELS];
	uint32_t n, n_levels;
};

static inline bool bits_init(struct bits *bits, uint32_t n, struct arena *arena)
{
	uint32_t words = n;

	*bits = (struct bits){.n = n};
	do {
		words = words / BITS_WORD + 1;
		bits->level[bits->n_levels] = NEW(arena, uint64_t, words);
		if (!bits->level[bits->n_levels++])
			return false;
	} while (words > 1);
	return true;
}

static inline void bits_clear(struct bits *bits)
{
	size_t words = bits->n;

	for (uint32_t k = 0; k < bits->n_levels; k++) {
		words = words / BITS_WORD + 1;
		memset(bits->level[k], 0, sizeof(uint64_t) * words);
	}
}

static inline void bits_add(struct bits *bits, uint32_t i)
{
	assert(i < bits->n);
	for (uint32_t k = 0; k < bits->n_levels; k++, i /= BITS_WORD) {
		uint64_t *word = &bits->level[k][i / BITS_WORD];
		bool was_empty = *word == 0;

		*word |= UINT64_C(1) << i % BITS_WORD;
		if (!was_empty)
			return;
	}
}

static inline void bits_remove(struct bits *bits, uint32_t i)
{
	assert(i < bits->n);
	for (uint32_t k = 0; k < bits->n_levels; k++, i /= BITS_WORD) {
		bits->level[k][i / BITS_WORD] &=
			~(UINT64_C(1) << i % BITS_WORD);
		if (bits->level[k][i / BITS_WORD])
			return;
	}
}

static inline bool bits_has(const struct bits *bits, uint32_t i)
{
	assert(i < bits->n);
	return bits->level[0][i / BITS_WORD] >> i % BITS_WORD & 1;
}

/* The least member above i. There must be one. */
static inline uint32_t bits_above(const struct bits *bits, uint32_t i)
{
	uint32_t k;
	uint64_t rest;

	assert(i < bits->n);
	/* Mostly it is in the same word. */
	rest = bits->level[0][i / BITS_WORD] & (~UINT64_C(1) << i % BITS_WORD);
	if (rest)
		return i / BITS_WORD * BITS_WORD +
		       (uint32_t)__builtin_ctzll(rest);
	for (k = 1, i /= BITS_WORD;; k++, i /= BITS_WORD) {
		assert(k < bits->n_levels);
		rest = bits->level[k][i / BITS_WORD] &
		       (~UINT64_C(1) << i % BITS_WORD);
		if (rest)
			break;
	}
	i = i / BITS_WORD * BITS_WORD + (uint32_t)__builtin_ctzll(rest);
	for (; k > 0; k--)
		i = i * BITS_WORD +
		    (uint32_t)__builtin_ctzll(bits->level[k - 1][i]);
	return i;
}

/* The greatest member below i. There must be one. */
static inline uint32_t bits_below(const struct bits *bits, uint32_t i)
{
	uint32_t k;
	uint64_t rest;

	assert(i < bits->n);
	/* Mostly it is in the same word. */
	rest = bits->level[0][i / BITS_WORD] &
	       ((UINT64_C(1) << i % BITS_WORD) - 1);
	if (rest)
		return (i | (BITS_WORD - 1)) - (uint32_t)__builtin_clzll(rest);
	for (k = 1, i /= BITS_WORD;; k++, i /= BITS_WORD) {
		assert(k < bits->n_levels);
		rest = bits->level[k][i / BITS_WORD] &
		       ((UINT64_C(1) << i % BITS_WORD) - 1);
		if (rest)
			break;
	}
	i = i / BITS_WORD * BITS_WORD + BITS_WORD - 1 -
	    (uint32_t)__builtin_clzll(rest);
	for (; k > 0; k--)
		i = i * BITS_WORD + BITS_WORD - 1 -
		    (uint32_t)__builtin_clzll(bits->level[k - 1][i]);
	return i;
}

#endif
