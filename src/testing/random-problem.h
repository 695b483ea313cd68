/*
 * For tests: small random problems, and the least height that a person would
 * find by trying everything. Shares no code with the planners.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_RANDOM_PROBLEM_H
#define MP_TESTING_RANDOM_PROBLEM_H

#include "problem/problem.h"

/* What the problems are made of; the all-zero shape takes the defaults. */
struct random_shape {
	uint32_t buffers;   /* at most; 0: 7 */
	uint32_t steps;	    /* at most; 0: 8; 64 is the most */
	uint64_t size;	    /* greatest size in units of alignment; 0: 16 */
	uint64_t alignment; /* of sizes and offsets; 0: 1 */
	uint32_t streams;   /* 0: 1; at most 4 */
	bool aligned;	    /* some buffers want a greater alignment */
	bool parts;	    /* some buffers have several parts */
	bool gaps;	    /* or all parts are whole buffers, with gaps */
	bool fixed;	    /* some buffers have a fixed offset */
	bool apart;	    /* some pairs never share a byte */
	bool costs;	    /* some pairs cost something if they share one */
	bool banks;	    /* the costs are of banks */
	bool choices;  /* some buffers are of branches, one of which runs */
	bool nested;   /* the second choice stands in a branch of the first */
	bool reserved; /* for tests that add reserved ranges */
};

/* Shapes of problems that are not plain, of 60 buffers at most. */
enum {
	SHAPES_NOT_PLAIN = 4
};

extern const struct random_shape mp_testing_not_plain[SHAPES_NOT_PLAIN];

/* Fills a problem that follows from the seed alone. False: memory is out. */
bool mp_testing_random_problem(uint64_t seed, const struct random_shape *shape,
	struct problem *problem, struct arena *arena);

/* Do two buffers at these offsets share a byte at a time at which both need it?
 * One offset a buffer, in bytes. */
bool mp_testing_overlap(const struct problem *problem, const uint64_t *offsets,
	uint32_t a, uint32_t b);

/* The least arena size over all orders of placing each buffer at its lowest
 * free offset, for up to about 9 buffers. *exact: all parts are whole buffers,
 * so no plan is smaller. A buffer of several parts may fit inside another one,
 * where no such order places it. */
uint64_t mp_testing_brute_height(
	const struct problem *problem, bool *exact, struct arena *arena);

#endif
