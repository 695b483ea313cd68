/*
 * A skyline over the sections of a packing: how high each is filled.
 * Neighbouring sections of one height form a segment. A set of bits has one bit
 * at the first section of each segment, with a summary bit for every 64 bits
 * and so on upwards (a van Emde Boas tree of 64 branches). A step to the next
 * or the last segment takes a few operations on memory that stays in the cache
 * even for a million sections.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_SKYLINE_H
#define MP_PLANNERS_PLAIN_SKYLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum {
	SKYLINE_LEVELS = 6 /* 64^6 sections and more than 2^32 */
};

struct skyline {
	uint32_t n_sections, n_levels;
	uint64_t *bits[SKYLINE_LEVELS];
	int64_t *floor; /* height, at the first section of a segment */
};

/* Makes one segment of height 0, of at least one section. */
bool mp_planner_skyline_init(
	struct skyline *skyline, uint32_t n_sections, struct arena *arena);

/* Joins all to one segment of height 0. */
void mp_planner_skyline_clear(struct skyline *skyline);

/* The first section of the segment that a section is in. */
uint32_t mp_planner_skyline_segment(
	const struct skyline *skyline, uint32_t section);

/* The first section of the next segment; n_sections behind the last. */
uint32_t mp_planner_skyline_next(
	const struct skyline *skyline, uint32_t section);

/* Makes a segment begin at this section, or join the one before. Section 0
 * always begins one. */
void mp_planner_skyline_split(struct skyline *skyline, uint32_t section);
void mp_planner_skyline_join(struct skyline *skyline, uint32_t section);

#endif
