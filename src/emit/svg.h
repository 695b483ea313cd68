/*
 * The picture of a plan: what its two files share. Coordinates are hundredths
 * of a unit of the picture, as integers, so that the bytes are the same
 * everywhere.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_SVG_H
#define MP_EMIT_SVG_H

#include "emit/text.h"

enum {
	SVG_WIDTH = 1280,
	SVG_HEIGHT = 800,
	MAP_LEFT = 92, /* the map of steps and addresses */
	MAP_TOP = 92,
	MAP_WIDTH = 1008,
	MAP_HEIGHT = 636,
	SVG_KINDS = ITEM_TEMPORARY + 1,
};

struct svg_map;

struct picture {
	const struct plan *plan;
	const struct problem *problem;
	struct sink *sink;
	struct arena *scratch;
	uint64_t top;	     /* bytes at the upper edge of the map, not 0 */
	uint32_t shift;	     /* of bytes, so that products fit */
	uint32_t hidden;     /* parts without a rectangle of their own */
	struct svg_map *map; /* of svg-map.c */
};

uint64_t mp_svg_x(const struct picture *picture, uint32_t step);
uint64_t mp_svg_y(const struct picture *picture, uint64_t bytes);

/* Writes ` name="12.5"`. */
void mp_svg_number(struct sink *sink, const char *name, uint64_t hundredths);

/* Writes "12.5". */
void mp_svg_fixed(struct sink *sink, uint64_t hundredths);

/* The rectangles, and beneath them a raster of those that are too many. */
bool mp_svg_map(struct picture *picture);

/* Their names, where they fit; goes over all else. */
void mp_svg_labels(const struct picture *picture);

#endif
