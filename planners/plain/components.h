/*
 * Pieces: the plateau search solves ranges that no item crosses one after the
 * other. What solves one is not questioned when another fails.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_COMPONENTS_H
#define MP_PLANNERS_PLAIN_COMPONENTS_H

#include "planners/plain/plateau.h"

/* A range that no item crosses, with something left to place. */
struct piece {
	struct range range;
	uint32_t next;	   /* to be solved after it; NONE: it is the last */
	uint32_t n_frames; /* once it is solved, decisions above are final */
	uint64_t hash;
};

/* Is its state small enough to be remembered? Only then it has a hash. */
bool mp_planner_component_is_small(const struct plateau *p, struct range range);

/* The current piece may have come apart; goes on to the next if nothing is left
 * of it. False: all is placed. */
bool mp_planner_component_settle(struct plateau *p, bool apart);

#endif
