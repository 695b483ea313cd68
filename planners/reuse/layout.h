/*
 * A layout: a partial plan, from which parts are removed and to which they are
 * added at other addresses. It knows what a part would overwrite at any
 * address, and what would overwrite the part.
 *
 * For a part that is not placed the arena is cut into pieces. The bytes of a
 * piece are held by one part or none before the part is born, and by one part
 * or none after it has died. Bytes held while the part lives are in no piece.
 * Where the part is placed on a piece, it comes between these two: up to two
 * new overwrites replace one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_REUSE_LAYOUT_H
#define MP_PLANNERS_REUSE_LAYOUT_H

#include "problem/overwrites.h"
#include "problem/problem.h"

struct layout_piece {
	uint64_t low, high;	/* bytes [low, high), ascending and apart */
	uint32_t before, after; /* places of parts in the sequence; or NONE */
	uint32_t pair; /* first piece with the same before and after; or NONE */
};

struct layout {
	const struct problem *problem;
	uint64_t limit; /* bytes of the arena */

	/* The sequence of parts by birth. The arrays below are by place in this
	 * sequence. */
	uint32_t *order, *place; /* part of a place, place of a part */
	uint32_t *start, *end;
	uint64_t *low, *high; /* bytes; equal: the part is not placed */

	/* Whether an overwrite of part a by one of stream s crosses streams, at
	 * a * n_streams + s, and the weight of such an overwrite; others weigh
	 * 1. NULL: all weigh 1. */
	const bool *crosses;
	uint64_t crossing;

	struct layout_piece *pieces; /* of the part that was cut for last */
	uint32_t n_pieces;
	uint64_t *held, *taken;	 /* of a pair: bytes in all, and in a window */
	uint32_t *seen, *met;	 /* marks of places, and of pieces */
	uint32_t *head, *headed; /* of a place: a list of pieces behind it */
	uint32_t *chain; /* of a piece: the next of that list, or NONE */
	uint32_t mark;
	uint64_t work; /* done so far, in units of about 100 ns */
};

/* A layout of no parts. False only if memory is out. */
bool mp_planner_layout_init(struct layout *layout,
	const struct problem *problem, uint64_t limit, struct arena *arena);

/* Places a part at an address, and removes it. */
void mp_planner_layout_put(struct layout *layout, uint32_t part, uint64_t low);
void mp_planner_layout_take(struct layout *layout, uint32_t part);

/* Cuts the arena into the pieces for a part that is not placed. */
void mp_planner_layout_cut(struct layout *layout, uint32_t part);

/* The change of the weight of all overwrites if the part, for which the pieces
 * were cut, is placed at an address. False: other parts are in its way. */
bool mp_planner_layout_gain(
	struct layout *layout, uint32_t part, uint64_t low, int64_t *weight);

#endif
