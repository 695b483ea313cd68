/*
 * Ranges of bytes, or of bases.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_ANY_BYTE_RANGES_H
#define MP_PLANNERS_ANY_BYTE_RANGES_H

#include <stdint.h>

struct range {
	uint64_t low, high; /* [low, high) */
};

/* Sorts n ranges, makes one of what overlaps or touches, and gives their number
 * then. The scratch has room for n. */
uint32_t mp_planner_ranges_join(
	struct range *ranges, uint32_t n, struct range *scratch);

/* The first of joined ranges that reaches beyond an address; n: none does. */
uint32_t mp_planner_ranges_beyond(
	const struct range *ranges, uint32_t n, uint64_t address);

#endif
