/*
 * A part of a problem that is a problem of its own: some of its buffers in one
 * memory, which any planner takes as it takes the whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_SUBPROBLEM_H
#define MP_PROBLEM_SUBPROBLEM_H

#include "problem/problem.h"

/* What a part takes in a memory of that alignment: the bytes up to its next
 * multiple too, but for those of other parts of its buffer. */
uint64_t mp_problem_subproblem_size(
	const struct problem *problem, uint32_t part, uint64_t alignment);

/* Fills sub with those n buffers, ascending, rounded up to an alignment that is
 * at least the problem's. Buffer i of sub is buffers[i] of the problem. */
bool mp_problem_subproblem(const struct problem *problem,
	const uint32_t *buffers, uint32_t n, uint64_t alignment,
	struct problem *sub, struct arena *arena, struct error *e);

#endif
