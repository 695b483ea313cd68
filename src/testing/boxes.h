/*
 * For tests: boxes of steps and bytes that are cut out of a large one, so that
 * the least arena is known.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_BOXES_H
#define MP_TESTING_BOXES_H

#include "testing/planning.h"

enum {
	BOXES = 400,
	BOX_STEPS = 8 * BOXES,
	BOX_HEIGHT = 1 << 20
};

/* Steps [start, end), bytes [low, high). */
struct box {
	uint32_t start, end;
	uint64_t low, high;
};

/* Adds a buffer of that lifetime and size, anywhere; there is room for it. */
struct buffer *mp_testing_add_box(struct problem *problem, struct box box);

/* Gives the last buffer, which has one part, a gap in its lifetime. */
void mp_testing_add_gap(struct problem *problem, uint32_t from, uint32_t to);

/* Cuts a box in two, or in five that turn around the middle one; one of few
 * steps or bytes stays whole. Returns how many there are more: four at most,
 * which `more` has room for. */
uint32_t mp_testing_cut(struct box *box, struct box *more, uint64_t *state);

/* Makes a problem of BOXES pieces of a box, or up to three more, of which one
 * in so many has its offset from the input; and a job for a row. */
void mp_testing_cut_boxes(struct planning *p, struct box whole, uint64_t seed,
	uint32_t fixed_one_in, const char *planner);

/* Makes a problem of BOXES boxes of which no two fit, with a job for a row that
 * has a plan of it. */
void mp_testing_unlike_boxes(struct planning *p, const char *planner);

#endif
