/*
 * For tests: a ring of blocks, as in ring attention, that may take more than
 * its load.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_RING_H
#define MP_TESTING_RING_H

#include "testing/planning.h"

enum {
	RING_SIZE = 32, /* of the smallest buffer, but for bytes */
	RING_LOAD = 13, /* in such sizes; and two bytes */
};

/* Blocks go round a ring: three are there, and two sums. Between any two rounds
 * four sizes are free, of which a scratch buffer needs three, in the rounds of
 * the mask, or two. A byte comes with each sum. The job is for row stacks. */
void mp_testing_ring(struct planning *f, uint32_t rounds, uint64_t mask);

#endif
