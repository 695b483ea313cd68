/*
 * A packing: a flat problem in the form that the rows of plain problems read.
 * It is strip packing with fixed positions in time: items are intervals with a
 * height.
 *
 * Sizes are in units, the greatest common divisor of all sizes. Time is cut
 * into sections: the maximal sets of buffers alive together (the maximal
 * cliques of the interval graph), in the order of time. A step needs no section
 * of its own if its buffers are all alive in another section. Two items
 * conflict if and only if they share a section. The greatest load of a section
 * is a lower bound.
 *
 * Items are buffers, sorted by first section, then last section, then size,
 * then index. So the items that begin in one section are neighbours, and so are
 * interchangeable ones: same sections, same size.
 *
 * No item is alive in two components: each is a problem of its own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_PACKING_H
#define MP_PLANNERS_PLAIN_PACKING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "planners/planner.h"

struct packing {
	const struct problem *problem;
	uint64_t unit; /* bytes; sizes and offsets here are multiples of it */
	uint32_t n_items, n_sections, n_components;

	/* One an item. */
	uint32_t *start, *end; /* alive in sections [start, end) */
	int64_t *size;	       /* units, more than 0 */
	uint32_t *buffer;      /* of the problem */
	uint32_t *top;	       /* that of these sections with the most load */

	/* One a section, and one behind the last. */
	int64_t *load;	  /* units alive; 0 behind the last */
	uint32_t *first;  /* items that start before this section: those that
			     start in s are [first[s], first[s + 1]) */
	uint32_t *ended;  /* how many items end at or before this section */
	int64_t max_load; /* greatest load: the theoretical minimum in units */
	uint32_t peak;	  /* the first section that has it */

	/* One a component, and one behind the last: its first section. Its
	 * items are [first[component[c]], first[component[c + 1]]). */
	uint32_t *component;
};

/* Fills a packing from a flat problem (see mp_problem_is_flat()). n log n time,
 * about 40 bytes a buffer that stay and 10 a step that go again. */
bool mp_planner_packing_init(struct packing *packing,
	const struct problem *problem, struct arena *arena);

/* The same for the problem of the job, which may have one. It is not to be
 * changed. */
bool mp_planner_packing_of(
	struct packing *packing, const struct job *job, struct arena *arena);

/* Offsets in units, one an item, to offsets in bytes, one a buffer. */
void mp_planner_packing_offsets(
	const struct packing *packing, const int64_t *offset, uint64_t *bytes);

/* Offers a plan with these offsets in units, one an item. False: it is refused,
 * or memory is out. */
bool mp_planner_packing_offer(
	const struct packing *packing, const int64_t *offset, struct job *job);

/* How low a plan is to be, in units: it fits the capacity, or is at the bound.
 */
int64_t mp_planner_packing_goal(
	const struct packing *packing, const struct job *job);

/* Steps that an item is alive. */
static inline uint32_t mp_planner_packing_lifetime(
	const struct packing *p, uint32_t item)
{
	const struct buffer *buffer = &p->problem->buffers[p->buffer[item]];

	return buffer->end - buffer->start;
}

/* How many items share a section with this one. */
static inline uint32_t mp_planner_packing_conflicts(
	const struct packing *p, uint32_t item)
{
	return p->first[p->end[item]] - p->ended[p->start[item]] - 1;
}

#endif
