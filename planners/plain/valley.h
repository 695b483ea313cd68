/*
 * Local reasoning of the plateau search. A valley is a segment of the skyline
 * with two higher neighbours: it is where items can be placed. A basin is a
 * range of sections between two walls: the items within must be enough to fill
 * it. See plateau.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_VALLEY_H
#define MP_PLANNERS_PLAIN_VALLEY_H

#include "planners/plain/plateau.h"

/* The rank of a valley that need not be filled is this plus its floor. */
#define OPEN (INT64_C(1) << 32)

struct valley {
	struct sections range;
	int64_t floor, brim; /* the brim is the lower neighbour's floor */
	int64_t least;	     /* the floor rises by this, if no item rests */
	uint32_t top;	     /* the candidate with the first turn */
};

/* Scratch, one a section. */
struct tally {
	int64_t fill;  /* sizes of the items within, as differences */
	int32_t count; /* of candidates, as differences */
};

struct valley mp_planner_valley_at(const struct horizon *h, uint32_t segment);

/* True if an item that starts in the valley can rest on its floor. Of
 * interchangeable items only the first can. */
bool mp_planner_valley_takes(
	const struct plateau *p, const struct valley *v, uint32_t item);

/* Counts the candidates of each section, and the sizes of the items that could
 * fill it up to the brim. */
void mp_planner_valley_count(struct plateau *p, struct valley *v);

/* Ranks a segment by the number of choices at its tightest section. False if it
 * cannot be filled as it must be. */
bool mp_planner_valley_assess(struct plateau *p, uint32_t segment);

/* Raises a part of a segment and assesses the segments that this touches. */
bool mp_planner_valley_raise(struct plateau *p, uint32_t segment,
	struct sections part, int64_t floor);

/* A wall of these sections has gone up to a height: false if a basin on either
 * side of it cannot be filled as it must be. */
bool mp_planner_valley_check(
	struct plateau *p, struct sections wall, int64_t height);

/* Notes that a section cannot be filled, which follows from the items inside of
 * a range and from the walls around it. Always false. */
bool mp_planner_valley_fail(
	struct plateau *p, uint32_t section, struct sections inside);

#endif
