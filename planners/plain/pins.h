/*
 * Pins: the parts of buffers with fixed offsets, as boxes of steps and bytes.
 * Where one is, nothing else can be.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_PINS_H
#define MP_PLANNERS_PLAIN_PINS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "problem/problem.h"

/* Empty if it begins and ends at one step. */
struct pin_box {
	uint64_t low, high;  /* bytes */
	uint32_t start, end; /* steps */
};

/* A tree of boxes, each around two others: node 1 is the root, and those of
 * node i are 2 * i and 2 * i + 1. Neighbours in time and bytes are near each
 * other in the tree. */
struct pins {
	struct pin_box *node;
	uint32_t n_leaves; /* a power of two; some may be empty. 0: no pins */
	uint64_t looks;	   /* at nodes, since the caller cleared it */
};

/* Lists the pins of a problem. False: memory is out. */
bool mp_planner_pins_init(
	struct pins *pins, const struct problem *problem, struct arena *arena);

/* True if a pin is in the box, or reaches into it. False: there is none, or it
 * takes more than 2,000 looks to find. */
bool mp_planner_pins_meet(struct pins *pins, const struct pin_box *box);

#endif
