/*
 * The skyline of the verifier: the greatest top over a range of births, and
 * raising the tops of a range. It is not the skyline of the planners, so that
 * it shares none of their mistakes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_VERIFY_VERIFY_SKYLINE_H
#define MP_VERIFY_VERIFY_SKYLINE_H

#include "problem/problem.h"

/* A segment tree over births, of greatest tops. Tops only grow, so that nothing
 * is ever pushed down to the children. */
struct verify_skyline {
	uint64_t *highest; /* of a node: greatest top in its range */
	uint64_t *cover;   /* of a node: top laid over its whole range */
	uint32_t leaves;   /* a power of two */
	uint32_t *births;  /* of a step: steps with a birth before it */
};

/* Makes an empty skyline over the births of a problem. */
bool mp_verify_skyline(struct verify_skyline *skyline,
	const struct problem *problem, struct arena *arena);

/* The greatest top over births [start, end), which is not empty. */
uint64_t mp_verify_top(
	const struct verify_skyline *skyline, uint32_t start, uint32_t end);

/* Raises the tops over them to this one, where they are lower. */
void mp_verify_raise(struct verify_skyline *skyline, uint32_t start,
	uint32_t end, uint64_t top);

#endif
