/*
 * Witnesses: a few tensors that show why no plan fits.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_WITNESS_H
#define MP_PROBLEM_WITNESS_H

#include <stddef.h>

#include "problem/schedule.h"

/* Writes a reason as ": ..." to put behind a sentence; an empty text if no few
 * tensors show one. */
void mp_problem_witness(const struct schedule *schedule, uint64_t capacity,
	char *text, size_t length);

/* ", with what it is tied to," for a buffer with several tensors, else an empty
 * text: to put behind the name of one. */
const char *mp_problem_witness_ties(
	const struct problem *problem, uint32_t buffer);

#endif
