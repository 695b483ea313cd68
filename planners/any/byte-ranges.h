/*
 * Half-open ranges of bytes, or of bases, and their union.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_ANY_BYTE_RANGES_H
#define MP_PLANNERS_ANY_BYTE_RANGES_H

#include <stdint.h>

struct range {
	uint64_t low, high; /* [low, high) */
};

/* Makes a union of n ranges in place: ascending, with a gap between each two.
 * Returns how many ranges that are. The scratch has room for n. */
uint32_t mp_planner_ranges_join(
	struct range *ranges, uint32_t n, struct range *scratch);

#endif
