/*
 * A dive: one pass that fills a packing from the bottom up, without a conflict
 * graph. The lowest plateau of the skyline is filled with the items that lie
 * within it, best rank first; what remains of it is raised to its lower
 * neighbour and lost. That is the first descent of a search which takes the
 * lowest possible offset first and a static rank second (Moffitt, MiniMalloc,
 * ASPLOS 2023), stated as a skyline (Burke, Kendall, Whitwell, Operations
 * Research 52(4), 2004).
 *
 * An item that does not lie within the plateau cannot be placed before a higher
 * segment that it crosses has become part of the lowest one; it waits in the
 * list of that segment. So every item is looked at once for each time that its
 * segment becomes lowest, at constant cost.
 *
 * A dive can be given a target. A section's slack is what may be lost in it
 * before the plan must exceed the target; the dive ends where a slack is spent,
 * and says where that was.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_DIVE_H
#define MP_PLANNERS_PLAIN_DIVE_H

#include "planners/plain/packing.h"
#include "planners/plain/skyline.h"
#include "planners/planner.h"

struct dive {
	const struct packing *packing;
	uint32_t *order; /* items, best rank first: set before a dive */
	int64_t target;	 /* units; INT64_MAX: none. Set before a dive */

	/* What came out. */
	int64_t *offset;	 /* of an item, units; -1: not placed */
	uint32_t failed;	 /* section whose slack was spent; NONE: none */
	uint64_t looks, charged; /* items looked at; as far as the job knows */

	/* The state of a pass. */
	struct skyline skyline;
	struct dive_item *items; /* what a look needs of an item */
	uint32_t *waiting;     /* first item of a segment's list; NONE: none */
	uint32_t *inside;      /* ranks of the items within the plateau, */
	uint32_t first_inside; /* from here to the end */
	uint32_t *spare;       /* room to sort them */
	uint32_t filled, filled_end; /* a stretch that was; end 0: none known */
	uint32_t n_placed;
	uint32_t position; /* section where the last plateau was */
	int64_t *slack;	   /* of a section, units */
};

bool mp_planner_dive_init(
	struct dive *dive, const struct packing *packing, struct arena *arena);

/* Sorts the order by keys, given as letters, most important first: A area,
 * C sections, L early start, O conflicts, T urgency, W lifetime, Z size. */
bool mp_planner_dive_rank(
	struct dive *dive, const char *keys, struct arena *scratch);

/* Places all items, at the expense of the job's steps. False: the target is out
 * of reach, failed says where; or the job says to stop. */
bool mp_planner_dive(struct dive *dive, struct job *job);

/* Greatest offset + size of a complete dive, in units. */
int64_t mp_planner_dive_height(const struct dive *dive);

/* Hands the plan of a complete dive to the job. */
bool mp_planner_dive_offer(const struct dive *dive, struct job *job);

#endif
