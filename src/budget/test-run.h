/*
 * For tests: a random graph with times, in a random order, and what a budget
 * chooses on it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUDGET_TEST_RUN_H
#define MP_BUDGET_TEST_RUN_H

#include "budget/budget.h"
#include "graph/graph.h"

struct run {
	struct arena arena;
	struct error error;
	struct graph graph;
	struct schedule *schedule;
	struct problem problem; /* that of the schedule */
	uint32_t *order;
	bool *tied; /* of a tensor; NULL: none is */
};

/* Makes the schedule of the graph as it is now. */
void mp_run_schedule(struct run *run, bool inplace);

/* Activations of 1 to 64 bytes, some of which live to the end, and a cost for
 * every op. In-place pairs if asked. */
void mp_run_make(struct run *run, uint64_t seed, uint32_t n_ops, bool inplace);

/* 1 million bytes a second out, 2 million in. */
struct budget_job mp_run_job(struct run *run, enum detour_mode mode,
	bool recompute, uint64_t target);

/* Such a job, done. */
struct budget_job mp_run_choose(struct run *run, enum detour_mode mode,
	bool recompute, uint64_t target);

#endif
