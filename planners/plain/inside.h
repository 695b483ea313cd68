/*
 * The plateau search: depth-first search with constraint propagation over which
 * item rests on which part of the skyline, the states that it has refuted, and
 * its restarts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_INSIDE_H
#define MP_PLANNERS_PLAIN_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/num.h"

/* ---------------------------------------------------------- horizon */

/*
 * The horizon: a skyline with an undo log, which is the state of the plateau
 * search. It has the items placed so far and what follows for the others;
 * nothing here decides anything.
 *
 * The floor of a section is a height below which no more items can go there.
 * Neighbouring sections of equal floor form a segment, known by its first
 * section. Where no unplaced item crosses the boundary between two sections,
 * segments end, and either side sees a wall of infinite height: ranges that
 * have come apart are then independent without further care. The room of a
 * section is what it can still waste: ceiling - floor - sizes of the unplaced
 * items alive in it.
 */

/* Higher than any floor. */
#define WALL (INT64_MAX / 4)

/* The items to be packed. They are sorted by start; those that start in section
 * s are [first[s], first[s + 1]). Interchangeable items are neighbours. No item
 * may lie below the floor or above the ceiling of a section that it crosses. */
struct puzzle {
	uint32_t n_items, n_sections;
	const uint32_t *start, *end; /* sections [start, end), one an item */
	const int64_t *size;	     /* more than 0, one an item */
	const uint32_t *first;	     /* one a section, and one behind */
	const int64_t *floor;	     /* one a section; NULL: all 0 */
	const int64_t *ceiling;	     /* one a section */
};

enum change_kind {
	CHANGED_FLOOR,
	CHANGED_NEXT,
	CHANGED_PREVIOUS,
	CHANGED_RANK,
	CHANGED_NOT_BELOW,
	CHANGED_ROOM,
	PLACED,
};

struct change {
	enum change_kind kind;
	uint32_t where; /* section or item */
	uint32_t other;
	int64_t value; /* before the change, or an amount */
};

struct horizon {
	const struct puzzle *puzzle;

	/* One a segment, at its first section. */
	int64_t *floor;
	uint32_t *next, *previous; /* n_sections: none; NONE: none */

	/* One a section. */
	int64_t *room;
	uint32_t *unplaced; /* items over it */
	uint32_t *crossing; /* unplaced items over it and the one before */

	/* One a segment: its rank, least first, NO_WORK if nothing can be done
	 * there; and its focus, the section to work at. A tournament tree over
	 * the sections finds the least rank in any range. */
	int64_t *rank; /* nodes of the tree; leaves from n_sections on */
	uint32_t *focus;

	/* One an item. */
	int64_t *offset;
	int64_t *not_below;    /* a lower bound on its offset, in this state */
	uint64_t *is_unplaced; /* one bit an item */

	struct change *log;
	uint32_t n_changes, max_changes;
	bool overflow; /* of the log: the state is no longer valid */
};

#define NO_WORK INT64_MAX

/* Room for the state of a puzzle. */
bool mp_planner_horizon_new(
	struct horizon *h, const struct puzzle *puzzle, struct arena *arena);

/* Removes all items. False if the items of a section exceed its room. */
bool mp_planner_horizon_reset(struct horizon *h);

/* Places an item on the segment that it lies within. Its sections keep their
 * floor: mp_planner_horizon_raise() follows. True if the unplaced items may
 * have come apart. */
bool mp_planner_horizon_place(struct horizon *h, uint32_t item, int64_t offset);

/* Raises sections [start, end) of a segment to a floor, or to a wall where
 * nothing is left to place. */
void mp_planner_horizon_raise(struct horizon *h, uint32_t segment,
	uint32_t start, uint32_t end, int64_t floor);

/* Subtracts an amount from the room of sections [start, end). */
void mp_planner_horizon_waste(
	struct horizon *h, uint32_t start, uint32_t end, int64_t amount);

/* Notes that an item cannot lie below a height. */
void mp_planner_horizon_lift(struct horizon *h, uint32_t item, int64_t height);

void mp_planner_horizon_set_rank(
	struct horizon *h, uint32_t segment, int64_t rank, uint32_t focus);

/* The segment of least rank that starts in [start, end), of equals the first.
 * NONE: there is none with a rank. */
uint32_t mp_planner_horizon_best(
	const struct horizon *h, uint32_t start, uint32_t end);

/* Undoes all changes but the first n. */
void mp_planner_horizon_undo(struct horizon *h, uint32_t n);

/* The floor of the left neighbour of a segment, and of the right neighbour of a
 * segment that ends at a section; WALL if no unplaced item crosses to it. */
static inline int64_t mp_planner_horizon_left(
	const struct horizon *h, uint32_t segment)
{
	return h->crossing[segment] ? h->floor[h->previous[segment]] : WALL;
}

static inline int64_t mp_planner_horizon_right(
	const struct horizon *h, uint32_t end)
{
	return h->crossing[end] ? h->floor[end] : WALL;
}

/* The first unplaced item from index item on; n_items: none. */
static inline uint32_t mp_planner_horizon_unplaced(
	const struct horizon *h, uint32_t item)
{
	uint32_t word = item / 64;
	uint64_t bits = h->is_unplaced[word] & (UINT64_MAX << item % 64);

	/* A bit behind the last item ends the search. */
	while (bits == 0)
		bits = h->is_unplaced[++word];
	return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* Goes through the unplaced items from one on, while none is placed. */
struct unplaced {
	const uint64_t *word;
	uint64_t bits;	/* of the word: of items that are still to come */
	uint32_t first; /* item of the word */
};

static inline struct unplaced mp_planner_horizon_walk(
	const struct horizon *h, uint32_t item)
{
	const uint64_t *word = &h->is_unplaced[item / 64];

	return (struct unplaced){
		word, *word & (UINT64_MAX << item % 64), item / 64 * 64};
}

/* The next one; n_items or more: there is none. Do not ask behind that. */
static inline uint32_t mp_planner_horizon_next(struct unplaced *walk)
{
	uint32_t item;

	while (walk->bits == 0) {
		walk->bits = *++walk->word;
		walk->first += 64;
	}
	item = walk->first + (uint32_t)__builtin_ctzll(walk->bits);
	walk->bits &= walk->bits - 1;
	return item;
}

static inline bool mp_planner_horizon_is_unplaced(
	const struct horizon *h, uint32_t item)
{
	return h->is_unplaced[item / 64] >> item % 64 & 1;
}

/* ---------------------------------------------------------- nogoods */

/*
 * Nogoods: a table of refuted states of the plateau search, so that none is
 * searched twice. A state is a range of sections that no unplaced item crosses,
 * the items left to place in it, and its floors. A state is also refuted if one
 * with the same items and with floors nowhere higher was (dominance). States
 * are compared in full; the hash only finds them. The table grows as it fills,
 * up to a limit, and then forgets the oldest; what is cleared is small again,
 * but keeps its memory.
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
	uint64_t room;	     /* words that there is memory for */
	uint64_t most;	     /* what it may grow to */
};

/* A table within an arena, with little memory if the puzzles are small. It
 * points into itself: do not move it, and free it before that arena. */
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
