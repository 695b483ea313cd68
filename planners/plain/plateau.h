/*
 * The plateau search: depth-first search with constraint propagation over which
 * item rests on which part of the skyline. Does a puzzle fit below its ceiling?
 * It is complete unless it is told to stop: a "no" is a proof.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_PLATEAU_H
#define MP_PLANNERS_PLAIN_PLATEAU_H

#include "planners/plain/horizon.h"
#include "planners/plain/nogood.h"

enum plateau_answer {
	PLATEAU_YES,   /* horizon.offset has the offsets */
	PLATEAU_NO,    /* proved */
	PLATEAU_SPENT, /* out of nodes, room for the log, or stopped */
};

struct frame;
struct piece;
struct tally;

struct plateau {
	struct horizon horizon;
	struct nogoods *nogoods;
	const uint32_t *turn; /* of an item: low ones are tried first */
	bool *twin;	      /* interchangeable with the item before */
	uint64_t *key;	      /* random, for hashes of sets of items */
	struct frame *frames; /* open decisions, oldest first */
	uint32_t n_frames, max_frames;
	struct piece *pieces; /* ranges that are solved one by one */
	uint32_t piece, n_pieces, max_pieces;
	struct tally *tally;   /* scratch: one a section, and one behind */
	struct sections proof; /* of the last failure: it follows from the
				  floors and items of these sections alone */
	uint32_t failed;       /* section of the last failure */
	uint32_t *blame;       /* failures of each section, so far */
	uint64_t nodes;	       /* of this run: attempts to place or close */
	uint64_t failures;     /* of this run: attempts that fail at once */
	uint64_t looks;	       /* items and sections looked at, ever: work */

	/* Called every few nodes: false ends the run. Or NULL. */
	bool (*may_go_on)(void *user, uint64_t looks);
	void *user;
	uint64_t reported; /* looks told to may_go_on() */
	bool stopped;	   /* may_go_on() returned false */
};

/* The table of nogoods may be shared by searches that do not run at once. */
bool mp_planner_plateau_new(struct plateau *p, const struct puzzle *puzzle,
	struct nogoods *nogoods, struct arena *arena);

/* Searches with the items in an order of preference, up to so many failures.
 * What it has refuted stays known to later runs as long as the puzzle is the
 * same (see mp_planner_nogood_clear()). */
enum plateau_answer mp_planner_plateau_run(
	struct plateau *p, const uint32_t *turn, uint64_t max_failures);

#endif
