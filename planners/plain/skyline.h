/*
 * A skyline over the sections of a packing: how high each is filled.
 * Neighbouring sections of one height form a segment, which is known by its
 * first section. A step to the next or the last segment takes a few operations
 * on memory that stays in the cache even for a million sections.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_SKYLINE_H
#define MP_PLANNERS_PLAIN_SKYLINE_H

#include <assert.h>
#include <string.h>

#include "base/bitset.h"

struct skyline {
	uint32_t n_sections;
	struct bits starts; /* of segments; and n_sections */
	int64_t *floor;	    /* height, at the first section of a segment */
};

/* Joins all to one segment of height 0. */
static inline void mp_planner_skyline_clear(struct skyline *skyline)
{
	struct bits *starts = &skyline->starts;
	size_t words = starts->n;

	for (uint32_t k = 0; k < starts->n_levels; k++) {
		words = words / BITS_WORD + 1;
		memset(starts->level[k], 0, sizeof(uint64_t) * words);
	}
	bits_add(starts, 0);
	bits_add(starts, skyline->n_sections);
	skyline->floor[0] = 0;
}

/* Makes one segment of height 0, of at least one section. */
static inline bool mp_planner_skyline_init(
	struct skyline *skyline, uint32_t n_sections, struct arena *arena)
{
	assert(n_sections > 0 && n_sections < UINT32_MAX);
	*skyline = (struct skyline){.n_sections = n_sections};
	skyline->floor = NEW(arena, int64_t, n_sections);
	if (!skyline->floor ||
		!bits_init(&skyline->starts, n_sections + 1, arena))
		return false;
	mp_planner_skyline_clear(skyline);
	return true;
}

/* The first section of the segment that a section is in. */
static inline uint32_t mp_planner_skyline_segment(
	const struct skyline *skyline, uint32_t section)
{
	assert(section < skyline->n_sections);
	return bits_below(&skyline->starts, section + 1);
}

/* The first section of the next segment; n_sections behind the last. */
static inline uint32_t mp_planner_skyline_next(
	const struct skyline *skyline, uint32_t section)
{
	return bits_above(&skyline->starts, section);
}

/* Makes a segment begin at this section, or join the one before. Section 0
 * always begins one. */
static inline void mp_planner_skyline_split(
	struct skyline *skyline, uint32_t section)
{
	assert(section < skyline->n_sections);
	bits_add(&skyline->starts, section);
}

static inline void mp_planner_skyline_join(
	struct skyline *skyline, uint32_t section)
{
	assert(0 < section && section < skyline->n_sections);
	bits_remove(&skyline->starts, section);
}

#endif
