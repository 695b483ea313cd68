/*
 * A joiner: puts buffers together that fill a rectangle without a gap, and
 * again what comes of it (see compounds.h): building blocks (Eley, European
 * Journal of Operational Research 141(2), 2002), but only those without waste.
 * A problem that was cut out of one rectangle becomes one compound.
 *
 * Two buffers may fit by chance. Such a compound fits nothing else, so it stays
 * live; and so does all that lacks the members that it took. Hence the repairs:
 * a live compound takes a partner that is buried in another one, or two that
 * are a partner together, or some that begin or end where others do are taken
 * out; what is left over is joined again. A result stays if its joins are worth
 * as much as those before, or by chance (see anneal.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_JOINER_H
#define MP_PLANNERS_PLAIN_JOINER_H

#include "planners/plain/compounds.h"
#include "planners/plain/doubt.h"
#include "planners/planner.h"

/* Compounds for which rules are to be tried. Some are live no more. */
enum join_queue {
	QUEUE_NEW,
	QUEUE_ROUND, /* of this round */
	QUEUE_IDLE,  /* nothing fits with so much doubt */
	JOIN_QUEUES
};

struct joiner {
	struct compounds c;
	uint64_t random;
	/* Set before the buffers are joined. */
	struct job *job; /* its threads look ahead; where it is over, joins
			    end, and it is cut short */
	bool by_chance;	 /* in another order; pass over what fits at times */
	bool regardless; /* of doubt: join as it comes */

	/* What came out. */
	bool has_wheels; /* many pinwheels: repairs look for more */

	/* The state. */
	struct doubts doubts;
	uint64_t doubt; /* that a join may have */
	uint32_t *queue[JOIN_QUEUES], n_queue[JOIN_QUEUES];
	uint32_t *ahead;     /* see struct outlook */
	bool has_gaps;	     /* else rules for these find nothing */
	bool with_pinwheels; /* for this repair: they take many looks */
	uint32_t n_wheels;   /* pinwheels joined so far */
};

/* Each buffer is a live compound. False: memory is out. */
bool mp_planner_joiner_init(struct joiner *joiner,
	const struct problem *problem, uint64_t seed, struct arena *arena);

/* Joins as long as something fits, what is in least doubt first, or until the
 * job is over. */
void mp_planner_joiner_join(struct joiner *joiner);

/* Makes another joiner for repairs, which has no compounds yet: see
 * mp_planner_compounds_part(). Joins of both may have any doubt from now on.
 * False: memory is out. */
bool mp_planner_joiner_part(
	struct joiner *joiner, struct joiner *other, struct arena *arena);

/* Repairs a live compound, of which there are two at least, by chance. Heat is
 * in the worth of joins: one in no doubt has 256. */
void mp_planner_joiner_repair(struct joiner *joiner, uint64_t heat);

#endif
