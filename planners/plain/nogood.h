/*
 * Nogoods: a table of refuted states of the plateau search, so that none is
 * searched twice. A state is a range of sections that no unplaced item crosses,
 * the items left to place in it, and its floors. A state is also refuted if one
 * with the same items and with floors nowhere higher was (dominance). States
 * are compared in full; the hash only finds them. The table grows as it fills,
 * up to a limit, and then forgets the oldest.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_NOGOOD_H
#define MP_PLANNERS_PLAIN_NOGOOD_H

#include "planners/plain/horizon.h"

/* Sections [start, end). */
struct sections {
	uint32_t start, end;
};

struct nogoods {
	struct arena memory; /* of the words and the index, nothing else */
	struct error error;  /* of that arena: that the table cannot grow is no
				error of the planner */
	uint64_t *words;     /* the entries, in a ring */
	uint64_t *index;     /* by hash: where the newest entry is, plus 1 */
	uint64_t head;	     /* words ever written */
	uint64_t size;	     /* words of the ring, a power of 2 */
	uint64_t most;	     /* what it may grow to */
};

/* A small table within an arena. It points into itself: do not move it, and
 * free it before that arena. */
bool mp_planner_nogood_new(struct nogoods *table, struct arena *arena);
void mp_planner_nogood_free(struct nogoods *table);

/* Forgets all: another puzzle, or another ceiling. */
void mp_planner_nogood_clear(struct nogoods *table);

/* True if the state of this range is known as refuted. Its floors
 * and items within the proof alone refute it. The hash is of the items left. */
bool mp_planner_nogood_find(const struct nogoods *table,
	const struct horizon *h, struct sections range, uint64_t hash,
	struct sections *proof);

/* Adds the state of a range as refuted, by the floors and items of the proof.
 */
void mp_planner_nogood_add(struct nogoods *table, const struct horizon *h,
	struct sections range, uint64_t hash, struct sections proof);

#endif
