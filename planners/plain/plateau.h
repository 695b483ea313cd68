/*
 * The plateau search: does a puzzle fit below its ceiling? Complete unless it
 * is told to stop: a "no" is a proof.
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
	struct piece *pieces; /* ranges that have come apart */
	uint32_t piece, n_pieces, max_pieces;
	struct tally *tally; /* scratch: one a section, and one behind */
	struct range proof;  /* of the last failure: the sections whose floors
				and items alone bring it about */
	uint32_t failed;     /* the section where it failed */
	uint32_t *blame;     /* how often each section did, so far */
	uint64_t nodes;	     /* of this run: attempts to place or close */
	uint64_t failures;   /* of this run: attempts that fail at once */
	uint64_t looks;	     /* items and sections looked at, ever: the work */

	/* Asked every few nodes whether to go on; may be NULL. */
	bool (*may_go_on)(void *user, uint64_t looks);
	void *user;
	uint64_t reported; /* looks that it knows of */
	bool stopped;	   /* it said no */
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
