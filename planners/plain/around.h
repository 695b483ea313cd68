/*
 * Placing what is left around what has a place. Some items of a packing, the
 * crux, have a place each, which fit where memory is tight: in some chosen
 * sections. All that is alive there is of the crux. So the sections between two
 * chosen ones, a run, are a problem of their own for what is left, as each of
 * it is alive in one run only.
 *
 * Two of the crux that are alive together in a run only may lie on each other:
 * the smaller one moves. Then each run is filled in the order of birth, or of
 * death with time running backward, with the smallest range that is free as
 * long as the item lives. What finds none comes first when the run is filled
 * again.
 *
 * All that lies in a run is in one list, by offset, which is read from end to
 * end for each item: pairs that meet are never looked for. What is dead leaves
 * it, and what of the crux is born later is not in it yet.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_AROUND_H
#define MP_PLANNERS_PLAIN_AROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "planners/plain/packing.h"

enum around_end {
	AROUND_COMPLETE, /* all lies below the limit */
	AROUND_ABOVE,	 /* all has a place, some above the limit */
	AROUND_CLASH,	 /* so much of what has to move has no place below the
			    limit that the rest was not placed */
	AROUND_SPENT,	 /* as is the budget */
	AROUND_NO_MEMORY
};

struct around {
	const struct packing *packing;
	struct job *job;
	const uint32_t *part_of; /* of an item: its place in bases; NONE: it
				    is left */
	const uint64_t *bases;	 /* of the crux, in bytes */
	uint64_t limit;
	uint64_t *offsets;  /* of a buffer of the problem */
	const bool *chosen; /* of a section */
	bool *tight; /* of a section: not chosen, and an item that is above
			the limit, or two that clash, are alive there */
};

/* Places all. */
enum around_end mp_planner_around(struct around *around);

#endif
