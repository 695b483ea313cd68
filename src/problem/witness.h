/*
 * Why no plan fits: which tensors take more than there is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_WITNESS_H
#define MP_PROBLEM_WITNESS_H

#include <stddef.h>

#include "problem/schedule.h"

/* Writes a reason as ": ..." behind a sentence; an empty text if it is none
 * that a few tensors show. */
void mp_problem_witness(const struct schedule *schedule, uint64_t capacity,
	char *text, size_t length);

/* ", with what it is tied to," of a buffer that several tensors are in, else an
 * empty text: what stands behind the name of one. */
const char *mp_problem_witness_ties(
	const struct problem *problem, uint32_t buffer);

#endif
