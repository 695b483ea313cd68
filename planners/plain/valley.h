/*
 * What the plateau search knows of one place: valleys, which can be filled, and
 * basins, which must be. See plateau.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_VALLEY_H
#define MP_PLANNERS_PLAIN_VALLEY_H

#include "planners/plain/plateau.h"

/* The rank of a valley that need not be filled is this plus its floor. */
#define OPEN (INT64_C(1) << 32)

/* A segment both of whose neighbours are higher. */
struct valley {
	struct range range;
	int64_t floor, brim; /* the brim is the lower neighbour's floor */
	int64_t least;	     /* by which the floor rises, if nothing rests */
	uint32_t top;	     /* the candidate whose turn is first */
};

/* Scratch, one a section. */
struct tally {
	int64_t fill;  /* sizes of the items within, as differences */
	int32_t count; /* of candidates, as differences */
};

struct valley mp_planner_valley_at(const struct horizon *h, uint32_t segment);

/* Can the item rest on the floor of the valley? It starts in it. Of
 * interchangeable items only the first can. */
bool mp_planner_valley_takes(
	const struct plateau *p, const struct valley *v, uint32_t item);

/* Tallies what could rest on the floor, and what could fill the valley to the
 * brim. */
void mp_planner_valley_count(struct plateau *p, struct valley *v);

/* Finds out how many choices there are at a segment, and ranks it by that.
 * False if it cannot be filled as it must be. */
bool mp_planner_valley_assess(struct plateau *p, uint32_t segment);

/* Raises a part of a segment and assesses the segments that this touches. */
bool mp_planner_valley_raise(
	struct plateau *p, uint32_t segment, struct range part, int64_t floor);

/* A wall has gone up to a height left or right of a section: false if a basin
 * on its other side cannot be filled as it must be. */
bool mp_planner_valley_check_left(
	struct plateau *p, uint32_t end, int64_t height);
bool mp_planner_valley_check_right(
	struct plateau *p, uint32_t start, int64_t height);

/* Takes note that a section cannot be filled, which follows from what is inside
 * of a range and from the walls around it. Always false. */
bool mp_planner_valley_fail(
	struct plateau *p, uint32_t section, struct range inside);

#endif
