/*
 * A patch: items that lie together in a plan, to be taken out and placed again
 * while all others stay where they are. In each section the items of a patch
 * lie one above the other with none of the others in between. So what is free
 * for them is a single range of each section, with a floor and a ceiling, and
 * to place them again is a puzzle (see inside.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_PATCH_H
#define MP_PLANNERS_PLAIN_PATCH_H

#include "planners/plain/inside.h"
#include "planners/plain/packing.h"

enum {
	PATCH_MOST = 2048 /* items: search finds nothing for more */
};

/* Where the patch is, and how large. */
struct patch_site {
	uint32_t item;	/* that ends above the target */
	int64_t target; /* no item over a section of that item may end above */
	uint32_t most;	/* items */
	uint32_t wide;	/* it lies in a part of the time where so many times
			   as many items are, and takes about this part of the
			   height */
};

struct patch {
	uint32_t n;
	uint32_t *item;	    /* of the packing, ascending */
	uint32_t *lifetime; /* steps, one an item */
	struct puzzle puzzle;
	uint64_t looks; /* items and sections looked at, to find it */

	/* What the puzzle has. */
	uint32_t *cut; /* where its sections begin, and the last ends */
	uint32_t *start, *end, *first;
	int64_t *size, *floor, *ceiling;
};

/* Finds a patch in a plan: offsets in units, one an item of the packing. What
 * it fills is in the arena. It holds more than the site says if room for what
 * sticks out takes more; n is 0 if there is none. Sections that end above the
 * target elsewhere may stay as they are. False: memory is out. */
bool mp_planner_patch_find(struct patch *patch, const struct packing *packing,
	const int64_t *offset, const struct patch_site *site,
	struct arena *arena);

#endif
