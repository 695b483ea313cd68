/*
 * Overwrites of a plan. Part b overwrites part a if b is the next to hold some
 * byte that a held: a ends before b begins, and no part between them holds that
 * byte. Overwrites by way of others follow from these. Parts of one buffer take
 * over from each other and do not overwrite.
 *
 * Of exclusive branches one runs: parts of two never overwrite each other, and
 * a later part may overwrite either.
 *
 * A run must keep that order: all uses of a before the first write to b.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_OVERWRITES_H
#define MP_PROBLEM_OVERWRITES_H

#include "problem/problem.h"

struct overwrite {
	uint32_t old, next; /* parts of two buffers: next overwrites old */
	uint64_t low;	    /* address of the first byte that it overwrites */
	uint64_t bytes;	    /* how many, not always neighbours; in the branch
			       combination with most of them */
};

struct overwrites {
	struct overwrite *at; /* in the order in which next is born */
	uint32_t n;	      /* less than 3 a part and branch combination */
};

/* Finds those of a plan in n log n time; false only if memory is out. */
bool mp_problem_overwrites_find(const struct problem *problem,
	const uint64_t *offsets, struct overwrites *overwrites,
	struct arena *arena);

/* How many there are. */
bool mp_problem_overwrites_count(const struct problem *problem,
	const uint64_t *offsets, uint32_t *count, struct arena *scratch);

/* Fills order, one entry a part: the earlier of two parts that may hold a byte
 * one after the other comes first. */
bool mp_problem_overwrites_sequence(
	const struct problem *problem, uint32_t *order, struct arena *scratch);

#endif
