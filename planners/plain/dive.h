/*
 * A dive: greedy skyline packing in one pass, from the bottom up, without a
 * conflict graph. A plateau is a run of segments of one height; the dive works
 * on one with higher neighbours. It places the items that lie within the
 * plateau, best rank first; what remains is raised to the lower neighbour, and
 * its bytes are lost. That is the first descent of a search that takes the
 * lowest offset first and a static rank second (Moffitt, MiniMalloc, ASPLOS
 * 2023), stated as a skyline (Burke, Kendall, Whitwell, Operations Research
 * 52(4), 2004).
 *
 * An item that reaches beyond the plateau cannot be placed before a higher
 * segment that it crosses has become part of a plateau. It waits in the list of
 * that segment. So every item is looked at once each time that its segment
 * becomes part of a plateau, at constant cost.
 *
 * A dive can be given a target. The slack of a section is the number of bytes
 * that may be lost in it before the plan must exceed the target. The dive ends
 * where a slack is spent, and says where that was.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_DIVE_H
#define MP_PLANNERS_PLAIN_DIVE_H

#include "planners/any/rank.h"
#include "planners/plain/packing.h"
#include "planners/plain/skyline.h"
#include "planners/planner.h"

struct dive {
	const struct packing *packing;
	uint32_t *order; /* items, best rank first: set before a dive */
	int64_t target;	 /* units; INT64_MAX: none. Set before a dive */

	/* What came out. */
	int64_t *offset;	 /* of an item, units; -1: not placed */
	uint32_t failed;	 /* section with its slack spent; NONE: none */
	uint64_t looks, charged; /* items looked at; those charged so far */

	/* The state of a pass. */
	struct skyline skyline;
	struct dive_item *items; /* what a look needs of an item */
	uint32_t *waiting;     /* first item of a segment's list; NONE: none */
	uint32_t *inside;      /* ranks of the items within the plateau, */
	uint32_t first_inside; /* from this index to the end */
	uint32_t *spare;       /* room to sort them */
	uint32_t filled, filled_end; /* a segment found filled; end 0: none */
	uint32_t n_placed;
	uint32_t position; /* section where the last plateau was */
	int64_t *slack;	   /* of a section, units */
};

/* Makes room, but for the offsets, which the caller brings, and ranks the items
 * by the keys. */
bool mp_planner_dive_init(struct dive *dive, const struct packing *packing,
	const enum rank_key keys[RANK_KEYS], int64_t *offset,
	struct arena *arena);

/* Sorts the order by keys, the most important first: any but RANK_WHOLE and
 * RANK_PEAK. */
bool mp_planner_dive_rank(struct dive *dive,
	const enum rank_key keys[RANK_KEYS], struct arena *scratch);

/* Places all items, and charges the job for it. False: the target is out of
 * reach, and failed says where; or the job says to stop. */
bool mp_planner_dive(struct dive *dive, struct job *job);

/* Greatest offset + size of a complete dive, in units. */
int64_t mp_planner_dive_height(const struct dive *dive);

/* Hands the plan of a complete dive to the job. */
bool mp_planner_dive_offer(const struct dive *dive, struct job *job);

#endif
