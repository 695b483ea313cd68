/*
 * A set of numbers below n that finds the neighbours of a number: a tree of
 * bits, of which each level tells which words of the level below are not 0.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_BITSET_H
#define MP_BASE_BITSET_H

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

static inline void bits_add(struct bits *bits, uint32_t i)
{
	for (uint32_t k = 0; k < bits->n_levels; k++, i /= BITS_WORD)
		bits->level[k][i / BITS_WORD] |= UINT64_C(1) << i % BITS_WORD;
}

static inline void bits_remove(struct bits *bits, uint32_t i)
{
	for (uint32_t k = 0; k < bits->n_levels; k++, i /= BITS_WORD) {
		bits->level[k][i / BITS_WORD] &=
			~(UINT64_C(1) << i % BITS_WORD);
		if (bits->level[k][i / BITS_WORD])
			return;
	}
}

static inline bool bits_has(const struct bits *bits, uint32_t i)
{
	return bits->level[0][i / BITS_WORD] >> i % BITS_WORD & 1;
}

/* The least above i, which must be there. */
static inline uint32_t bits_above(const struct bits *bits, uint32_t i)
{
	uint32_t k = 0;
	uint64_t rest;

	for (;; k++, i /= BITS_WORD) {
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

/* The greatest below i, which must be there. */
static inline uint32_t bits_below(const struct bits *bits, uint32_t i)
{
	uint32_t k = 0;
	uint64_t rest;

	for (;; k++, i /= BITS_WORD) {
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
