/*
 * A padder: joins buffers that nearly fill a rectangle of steps and bytes (see
 * compounds.h), and again what comes of it. The smaller of two is padded where
 * the load has room for that, up to a limit a little above the lower bound. So
 * what was packed with a few free bytes is put together again, where joins
 * without waste find nothing that fits. What has fixed offsets in it slides
 * within its free bytes (see slides.h).
 *
 * What wastes least is joined first. Then come repairs, as those of a joiner: a
 * compound takes a partner that is buried in another one, or some that begin or
 * end where it does are taken out; what that leaves is joined again, and stays
 * if no more compounds are left than before, or by chance if few more are (see
 * anneal.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_PADDER_H
#define MP_PLANNERS_PLAIN_PADDER_H

#include "planners/plain/compounds.h"
#include "planners/plain/loads.h"

/* How many sides of a compound others are looked for at: each has those before
 * it. */
enum pad_sides {
	NO_SIDES = 0,
	EXACT_SIDES = 3, /* where they fit in time */
	FREE_SIDES = 5,	 /* or leave a free range */
	ALL_SIDES = 11	 /* or begin or end a few steps earlier or later */
};

struct padder {
	struct job *job; /* charged for all work */
	struct compounds c;
	/* What came out. */
	uint64_t need; /* steps of the job's budget with which all would have
			  been the same */

	/* The state. */
	struct loads loads;  /* with what is padded */
	uint64_t limit;	     /* of loads */
	uint32_t size_shift; /* from bytes to the unit of areas */
	uint64_t most_waste; /* see waste_of() */
	enum pad_sides n_sides;
	uint32_t *queue, n_queue; /* compounds that look for a partner */
	uint32_t *order, n_order; /* those that were live, by birth */
	uint32_t n_grouped;	  /* of these */
	uint32_t *group, n_group; /* to be repaired, next to each other */
	uint32_t n_repairs;	  /* left of the group */
	uint32_t *mark, n_marks;  /* of a compound: the last group it was in */
	uint64_t *birth;
	uint64_t random;
};

/* The shift from bytes to a unit in which areas up to a limit are numbers: they
 * count that unit times steps. */
uint32_t mp_planner_padder_shift(uint64_t limit);

/* Each buffer is a live compound; loads may rise to the limit. False: memory is
 * out. */
bool mp_planner_padder_init(struct padder *padder, struct job *job,
	enum pad_sides n_sides, uint64_t limit, uint64_t seed);

/* Joins first what fits without waste, then twice as much waste each time.
 * False: the budget is spent. */
bool mp_planner_padder_join(struct padder *padder);

/* Repairs as long as fewer and fewer compounds are left, for so many steps at
 * most; a part of the budget is for the rest, and up to half where much is
 * left. False: the budget is spent. */
bool mp_planner_padder_repair(struct padder *padder, uint64_t most);

/* Plans what is left by auto, and makes that plan lower, with another seed the
 * higher the number. False: memory is out, or a row fails. */
bool mp_planner_padder_plan_rest(struct padder *padder, uint32_t number);

#endif
