/*
 * Buffers of which not all live: only one branch of a choice runs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CHOICES_H
#define MP_CHOICES_H

#include "problem.h"

/* Adds to the load of each step, for every choice, what the heaviest of its
 * branches has alive there. Whichever branch of a choice runs, what always lives
 * and any branch of the other choices may live beside it: so this is the most
 * that may be alive at once. */
bool mp_choices_load(
	const struct problem *problem, uint64_t *load, struct arena *arena);

#endif
