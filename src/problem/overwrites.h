/*
 * Which part of a plan overwrites which. Part b overwrites part a if it is the
 * next to hold some byte of the arena that a held: a is over before b begins,
 * and no part between them has held that byte. Overwrites by way of others
 * follow from these. Parts of one buffer take over from each other, they do not
 * overwrite.
 *
 * Of exclusive branches one runs: parts of two never overwrite each other, and
 * what comes behind may overwrite either.
 *
 * Whoever runs the plan must keep that order: all uses of a before the first
 * write to b.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_OVERWRITES_H
#define MP_PROBLEM_OVERWRITES_H

#include "problem/problem.h"

struct overwrite {
	uint32_t old, next; /* parts of two buffers: next overwrites old */
	uint64_t low;	    /* address of the first byte that it overwrites */
	uint64_t bytes;	    /* how many, not always in one piece: in the run
			       in which they are most */
};

struct overwrites {
	struct overwrite *at; /* in the order in which next is born */
	uint32_t n;	      /* less than 3 a part and
			    way to run */
};

/* For offsets that are a plan. n log n; false only if memory is out. */
bool mp_problem_overwrites_find(const struct problem *problem,
	const uint64_t *offsets, struct overwrites *overwrites,
	struct arena *arena);

/* How many there are. */
bool mp_problem_overwrites_count(const struct problem *problem,
	const uint64_t *offsets, uint32_t *count, struct arena *scratch);

/* Fills order, one a part: of two parts that may hold a byte one after the
 * other the earlier one comes first. */
bool mp_problem_overwrites_sequence(
	const struct problem *problem, uint32_t *order, struct arena *scratch);

#endif
