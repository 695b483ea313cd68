/*
 * The skyline of the verifier: the greatest top over any range of births, and
 * raising one. Its own, so that no mistake of a planner's is shared.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_VERIFY_VERIFY_SKYLINE_H
#define MP_VERIFY_VERIFY_SKYLINE_H

#include "problem/problem.h"

/* Segment tree over births: who made the skyline here last. A node's value
 * covers all of its births unless a child has a later one; tops only grow. */
struct verify_skyline {
	uint64_t *highest; /* greatest top in the node's range */
	uint64_t *cover;   /* top laid over the whole range */
	uint32_t leaves;   /* a power of two */
	uint32_t *births;  /* steps with a birth before this step */
};

/* Empty, for the births of a problem. */
bool mp_verify_skyline(struct verify_skyline *skyline,
	const struct problem *problem, struct arena *arena);

/* The greatest top over births [start, end). */
uint64_t mp_verify_top(
	const struct verify_skyline *skyline, uint32_t start, uint32_t end);

/* Lays something over them that ends at top. */
void mp_verify_raise(struct verify_skyline *skyline, uint32_t start,
	uint32_t end, uint64_t top);

#endif
