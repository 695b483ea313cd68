/*
 * A layout: a plan under way, from which parts are taken and to which they are
 * put back elsewhere. It knows what a part would overwrite at any address, and
 * what would overwrite it.
 *
 * For a part that is not there the arena is cut into pieces. A piece has been
 * held last, before the part is born, by one part or by none, and is held next,
 * once it has died, by one part or by none; what is held while the part lives
 * is in no piece. Put on some pieces, the part comes between who held them and
 * who will: new overwrites, and fewer of the old.
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
	uint32_t pair; /* the first piece between the same two, if both are */
};

struct layout {
	const struct problem *problem;
	uint64_t limit; /* bytes of the arena */

	/* Parts as they are born; what follows is by place in this sequence. */
	uint32_t *order, *place; /* part of a place, place of a part */
	uint32_t *start, *end;
	uint64_t *low, *high; /* where it lies; equal: it is not there */

	/* Whether an overwrite of part a by one of stream s crosses streams, at
	 * a * n_streams + s, and what such a one weighs; others weigh 1. NULL:
	 * all do. */
	const bool *crosses;
	uint64_t crossing;

	struct layout_piece *pieces; /* of the part asked for last */
	uint32_t n_pieces;
	uint64_t *held, *taken;	 /* of a pair: bytes in all, and by a window */
	uint32_t *seen, *met;	 /* marks of places, and of pieces */
	uint32_t *head, *headed; /* of a place: a chain of pieces behind it */
	uint32_t *chain;	 /* the next of these, or NONE */
	uint32_t mark;
	uint64_t work; /* done so far, in units of about 100 ns */
};

/* A layout of no parts. False only if memory is out. */
bool mp_planner_layout_init(struct layout *layout,
	const struct problem *problem, uint64_t limit, struct arena *arena);

void mp_planner_layout_put(struct layout *layout, uint32_t part, uint64_t low);
void mp_planner_layout_take(struct layout *layout, uint32_t part);

/* Finds the pieces for a part that is not there. */
void mp_planner_layout_cut(struct layout *layout, uint32_t part);

/* By how much the overwrites weigh more if that part, for which the pieces were
 * cut, is put there; less is a negative number. False: it cannot be.
 */
bool mp_planner_layout_gain(
	struct layout *layout, uint32_t part, uint64_t low, int64_t *weight);

#endif
