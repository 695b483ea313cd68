/*
 * Cuts rectangles of bytes and steps that may overlap into disjoint ones.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LIFETIME_RECTANGLES_H
#define MP_LIFETIME_RECTANGLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* Bytes [low, high), not empty, in steps [start, end), not empty. */
struct rectangle {
	uint64_t low, high;
	uint32_t start, end;
};

struct rectangles {
	struct rectangle *at;
	uint32_t n;
};

/* Makes rectangles that cover the same bytes and steps and do not overlap,
 * ascending by bytes, then by steps. Neighbours that form a rectangle are one.
 * If whole, no byte has a gap between its first and its last step. The result
 * is in the arena; scratch is rewound. */
bool mp_lifetime_rectangles_cut(const struct rectangle *pieces, uint32_t n,
	bool whole, struct rectangles *result, struct arena *arena,
	struct arena *scratch);

#endif
