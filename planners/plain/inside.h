/*
 * The plateau search: depth-first search with constraint propagation over which
 * item rests on which part of the skyline, the states that it has refuted, and
 * its restarts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_INSIDE_H
#define MP_PLANNERS_PLAIN_INSIDE_H

#include "planners/plain/horizon.h"

/* ---------------------------------------------------------- nogoods */

/*
 * Nogoods: a table of refuted states of the plateau search, so that none is
 * searched twice. A state is a range of sections that no unplaced item crosses,
 * the items left to place in it, and its floors. A state is also refuted if one
 * with the same items and with floors nowhere higher was (dominance). States
 * are compared in full; the hash only finds them. The table grows as it fills,
 * up to a limit, and then forgets the oldest.
 */

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

/* ----------------------------------------------------------- search */

/*
 * Does a puzzle fit below its ceiling?
 * It is complete unless it is told to stop: a "no" is a proof.
 */

enum plateau_answer {
	PLATEAU_YES,   /* horizon.offset has the offsets */
	PLATEAU_NO,    /* proved */
	PLATEAU_SPENT, /* out of nodes, room for the log, or stopped */
};

struct frame;
struct piece;

/* Scratch, one a section. */
struct tally {
	int64_t fill;  /* sizes of the items within, as differences */
	int32_t count; /* of candidates, as differences */
};

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

/* ---------------------------------------------------------- valleys */

/*
 * Local reasoning of the plateau search. A valley is a segment of the skyline
 * with two higher neighbours: it is where items can be placed. A basin is a
 * range of sections between two walls: the items within must be enough to fill
 * it.
 */

/* The rank of a valley that need not be filled is this plus its floor. */
#define OPEN (INT64_C(1) << 32)

struct valley {
	struct sections range;
	int64_t floor, brim; /* the brim is the lower neighbour's floor */
	int64_t least;	     /* the floor rises by this, if no item rests */
	uint32_t top;	     /* the candidate with the first turn */
};

struct valley mp_planner_valley_at(const struct horizon *h, uint32_t segment);

/* True if an item that starts in the valley can rest on its floor. Of
 * interchangeable items only the first can. */
bool mp_planner_valley_takes(
	const struct plateau *p, const struct valley *v, uint32_t item);

/* Counts the candidates of each section, and the sizes of the items that could
 * fill it up to the brim. */
void mp_planner_valley_count(struct plateau *p, struct valley *v);

/* Ranks a segment by the number of choices at its tightest section. False if it
 * cannot be filled as it must be. */
bool mp_planner_valley_assess(struct plateau *p, uint32_t segment);

/* Raises a part of a segment and assesses the segments that this touches. */
bool mp_planner_valley_raise(struct plateau *p, uint32_t segment,
	struct sections part, int64_t floor);

/* A wall of these sections has gone up to a height: false if a basin on either
 * side of it cannot be filled as it must be. */
bool mp_planner_valley_check(
	struct plateau *p, struct sections wall, int64_t height);

/* Notes that a section cannot be filled, which follows from the items inside of
 * a range and from the walls around it. Always false. */
bool mp_planner_valley_fail(
	struct plateau *p, uint32_t section, struct sections inside);

/* --------------------------------------------------------- restarts */

/*
 * Restarts of the plateau search: many short runs with different orders of
 * preference and a few long ones (Luby, Sinclair, Zuckerman, Information
 * Processing Letters 47, 1993), because the time of a run is heavy-tailed. Runs
 * learn from each other: refuted states stay known, and items over sections
 * that failed often gain preference, as constraints do in weighted-degree
 * heuristics (Boussemart, Hemery, Lecoutre, Sais, ECAI 2004).
 */

struct restarts {
	struct plateau plateau;
	const uint32_t *lifetime; /* steps, one an item */
	uint64_t random;
	uint64_t base;	 /* failures of the shortest run */
	uint32_t n_runs; /* so far */

	/* One an item. */
	uint64_t *value; /* items of high value are tried first */
	uint64_t *heat;	 /* high where the item meets little room */
	uint64_t *blame; /* how often its sections have failed */
	uint32_t *order, *turn, *spare;
};

/* A sequence of runs on a puzzle. False: memory is out. */
bool mp_planner_restarts_new(struct restarts *r, const struct puzzle *puzzle,
	const uint32_t *lifetime, uint64_t seed, struct nogoods *nogoods,
	struct arena *arena);

/* Goes on with the sequence of runs, for about so many nodes. */
enum plateau_answer mp_planner_restarts_solve(
	struct restarts *r, uint64_t max_nodes);

#endif
