/*
 * Which of the places 0, 1, ... are covered by a set of ranges that changes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LIFETIME_COVERAGE_H
#define MP_LIFETIME_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* A segment tree: node 1 has all places, node i those of 2 i and 2 i + 1. */
struct covered {
	uint32_t n;	/* places */
	uint32_t width; /* of node 1: a power of two */
	uint32_t *
		count; /* of a node: ranges that cover it, but not its parent */
	uint8_t *state;
};

bool mp_lifetime_covered_init(
	struct covered *c, uint32_t n, struct arena *arena);

/* Adds a range [from, to), not empty, or removes one that was added. */
void mp_lifetime_covered_change(
	struct covered *c, uint32_t from, uint32_t to, bool adds);

/* The first place from `from` on that is covered, or that is not; n if there is
 * none. */
uint32_t mp_lifetime_covered_next(
	const struct covered *c, uint32_t from, bool is_covered);

/* One more than the last place below `to` that is covered, or that is not; 0 if
 * there is none. */
uint32_t mp_lifetime_covered_last(
	const struct covered *c, uint32_t to, bool is_covered);

#endif
