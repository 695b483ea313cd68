/*
 * The state of the plateau search: what has been placed, as far as the rest
 * need know, with an undo log. Nothing here decides anything.
 *
 * The floor of a section is a height below which nothing more can go there.
 * Neighbouring sections of equal floor form a segment, known by its first
 * section. Where no unplaced item crosses the boundary between two sections,
 * segments end, and either side sees an infinite wall; so the parts of a
 * problem that have come apart need no further care. Room is what a section
 * can still waste: ceiling - floor - sizes of the unplaced items over it.
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

/* What is to be packed. Items are sorted by start; those that start in section
 * s are [first[s], first[s + 1]). Interchangeable items are neighbours. Nothing
 * may lie below the floor or above the ceiling of a section that it is in. */
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
	int64_t value; /* as it was, or an amount */
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

	/* One a segment: how urgent it is to work there, least first, NO_WORK
	 * if not at all, and the section to work at. A tournament tree over
	 * the sections finds the least in any range. */
	int64_t *rank; /* nodes of the tree; leaves from n_sections on */
	uint32_t *focus;

	/* One an item. */
	int64_t *offset;
	int64_t *not_below;    /* it is known not to lie lower than this */
	uint64_t *is_unplaced; /* bits */

	struct change *log;
	uint32_t n_changes, max_changes;
	bool overflow; /* of the log: the state is of no more use */
};

#define NO_WORK INT64_MAX

/* Room for the state of a puzzle. */
bool mp_planner_horizon_new(
	struct horizon *h, const struct puzzle *puzzle, struct arena *arena);

/* Nothing is placed. False if a section's items exceed its room. */
bool mp_planner_horizon_reset(struct horizon *h);

/* Puts an item on the segment that it lies within. Its sections keep their
 * floor: mp_planner_horizon_raise() follows. True if the rest may have come
 * apart. */
bool mp_planner_horizon_place(struct horizon *h, uint32_t item, int64_t offset);

/* Raises sections [start, end) of a segment to a floor, or to a wall where
 * nothing is left to place. */
void mp_planner_horizon_raise(struct horizon *h, uint32_t segment,
	uint32_t start, uint32_t end, int64_t floor);

/* Takes an amount from the room of sections [start, end). */
void mp_planner_horizon_waste(
	struct horizon *h, uint32_t start, uint32_t end, int64_t amount);

/* An item is known not to lie below a height. */
void mp_planner_horizon_lift(struct horizon *h, uint32_t item, int64_t height);

void mp_planner_horizon_set_rank(
	struct horizon *h, uint32_t segment, int64_t rank, uint32_t focus);

/* The segment of least rank that starts in [start, end); of equals the first.
 * NONE: none has any. */
uint32_t mp_planner_horizon_best(
	const struct horizon *h, uint32_t start, uint32_t end);

/* Takes back all changes but the first n. */
void mp_planner_horizon_undo(struct horizon *h, uint32_t n);

/* The floor of what a segment's first section meets on its left, of what the
 * last section before end meets on its right. */
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
