/*
 * What the plateau search has in several files: valleys and basins, and ranges
 * that have come apart.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_INSIDE_H
#define MP_PLANNERS_PLAIN_INSIDE_H

#include "planners/plain/plateau.h"

/* ---------------------------------------------------------- valleys */

/*
 * Local reasoning of the plateau search. A valley is a segment of the skyline
 * with two higher neighbours: it is where items can be placed. A basin is a
 * range of sections between two walls: the items within must be enough to fill
 * it. See plateau.c.
 */

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

/* ------------------------------------------------------- components */

/*
 * Dynamic decomposition: where no unplaced item crosses a boundary, the plateau
 * search solves the ranges on both sides one after the other. A solution of one
 * is not undone when another fails.
 */

/* A range with items left to place, of which none crosses its ends. */
struct piece {
	struct sections range;
	uint32_t next;	   /* piece to be solved after it; NONE: it is last */
	uint32_t n_frames; /* once it is solved, decisions above are final */
	uint64_t hash;	   /* of the items left, for the nogoods */
};

/* True if the state of a range is small enough to be kept as a nogood. Only
 * then it has a hash. */
bool mp_planner_component_is_small(
	const struct plateau *p, struct sections range);

/* Splits the current piece if it may have come apart, and goes on to the next
 * if no item is left in it. False: all items are placed. */
bool mp_planner_component_settle(struct plateau *p, bool apart);

#endif
