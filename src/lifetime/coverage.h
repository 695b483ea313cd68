/*
 * Which of the places 0, 1, ... are covered by ranges that come and go.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LIFETIME_COVERAGE_H
#define MP_LIFETIME_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* A tree of halves: node 1 is all places, node i is nodes 2 i and 2 i + 1. */
struct covered {
	uint32_t n;	/* places */
	uint32_t width; /* of node 1: a power of two */
	uint32_t *
		count; /* of a node: ranges that cover it, but not its parent */
	uint8_t *state;
};

bool mp_lifetime_covered_init(
	struct covered *c, uint32_t n, struct arena *arena);

/* A range [from, to), not empty, comes or goes. */
void mp_lifetime_covered_add(struct covered *c, uint32_t from, uint32_t to);
void mp_lifetime_covered_remove(struct covered *c, uint32_t from, uint32_t to);

/* The first place at or behind from that is covered, or that is not; n if there
 * is none. */
uint32_t mp_lifetime_covered_next(
	const struct covered *c, uint32_t from, bool is_covered);

/* One behind the last place before to that is covered, or that is not; 0 if
 * there is none. */
uint32_t mp_lifetime_covered_last(
	const struct covered *c, uint32_t to, bool is_covered);

#endif
