/*
 * Rectangles of bytes and steps that may overlap become rectangles that do not.
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

/* Covers what the given ones cover, bytes ascending, then steps ascending; no
 * two of them overlap, and neighbours are one where that is a rectangle. With
 * whole, bytes that are needed twice are needed in between as well. The result
 * is in the arena; scratch is rewound. */
bool mp_lifetime_rectangles_cut(const struct rectangle *pieces, uint32_t n,
	bool whole, struct rectangles *result, struct arena *arena,
	struct arena *scratch);

#endif
