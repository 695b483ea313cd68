/*
 * A subproblem: some buffers of a problem in one memory. It is a problem, which
 * any planner takes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_SUBPROBLEM_H
#define MP_PROBLEM_SUBPROBLEM_H

#include "problem/problem.h"

/* The bytes that a part takes in a memory of that alignment: up to the next
 * multiple, or to the next part of its buffer. */
uint64_t mp_problem_subproblem_size(
	const struct problem *problem, uint32_t part, uint64_t alignment);

/* Fills sub with those n buffers, ascending, rounded up to an alignment that is
 * at least the problem's. Buffer i of sub is buffers[i] of the problem. */
bool mp_problem_subproblem(const struct problem *problem,
	const uint32_t *buffers, uint32_t n, uint64_t alignment,
	struct problem *sub, struct arena *arena, struct error *e);

#endif
