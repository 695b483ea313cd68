/*
 * The rectangles of a map, for the files that draw and name them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_SVG_MAP_H
#define MP_EMIT_SVG_MAP_H

#include "emit/svg/svg.h"

/* In hundredths of a unit. */
struct box {
	uint64_t x, y, width, height;
};

struct tile {
	struct box box;
	uint64_t area;
	uint32_t part;
};

struct svg_map {
	struct picture *picture;
	struct tile *tiles; /* one a part of the lane; drawn ones first */
	uint32_t n, n_drawn;
	uint32_t columns, rows; /* of the raster */
};

#endif
