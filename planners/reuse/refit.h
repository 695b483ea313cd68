/*
 * A refit: a plan with buffers removed and placed again, each at an
 * address that makes the fewest overwrites; and the weight of the overwrites of
 * the plan at hand.
 *
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
#ifndef MP_PLANNERS_REUSE_REFIT_H
#define MP_PLANNERS_REUSE_REFIT_H

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

struct refit_candidate {
	uint64_t base;
	int64_t gain;
};

struct refit {
	const struct problem *problem;
	struct layout layout;
	uint64_t *offsets; /* one a buffer; undefined if it is not placed */
	int64_t weight;	   /* of the overwrites among placed buffers */
	struct refit_candidate *candidates;
	uint32_t n_candidates, room;
	uint64_t random;
	uint32_t cut; /* part for which the layout is cut, or NONE */
};

/* Places no buffer. False only if memory is out. */
bool mp_planner_refit_init(struct refit *refit, const struct problem *problem,
	uint64_t limit, uint64_t seed, struct arena *arena);

/* A number below n, which is not 0. */
uint32_t mp_planner_refit_random(struct refit *refit, uint32_t n);

/* Removes a buffer, and places one at an address where it has room. */
void mp_planner_refit_take(struct refit *refit, uint32_t buffer);
void mp_planner_refit_put(struct refit *refit, uint32_t buffer, uint64_t base);

/* One of the best bases for a buffer that is not placed, by chance. False:
 * there is no room. */
bool mp_planner_refit_choose(
	struct refit *refit, uint32_t buffer, uint64_t *base);

/* Removes all buffers but those with a fixed offset, the overwrites of which
 * are not in the weight: to count them one by one takes as long as a search. */
void mp_planner_refit_clear(struct refit *refit);

/* Places a buffer, or all of them, where it was before. The caller sets the
 * weight. */
void mp_planner_refit_undo(struct refit *refit, uint32_t buffer, uint64_t base);
void mp_planner_refit_restore(
	struct refit *refit, const uint64_t *offsets, int64_t weight);

#endif
