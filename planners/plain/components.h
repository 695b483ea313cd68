/*
 * Dynamic decomposition: where no unplaced item crosses a boundary, the plateau
 * search solves the ranges on both sides one after the other. A solution of one
 * is not undone when another fails.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_COMPONENTS_H
#define MP_PLANNERS_PLAIN_COMPONENTS_H

#include "planners/plain/plateau.h"

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
