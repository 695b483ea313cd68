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
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_HORIZON_H
#define MP_PLANNERS_PLAIN_HORIZON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/num.h"

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

static inline bool mp_planner_horizon_is_unplaced(
	const struct horizon *h, uint32_t item)
{
	return h->is_unplaced[item / 64] >> item % 64 & 1;
}

#endif
