/*
 * What to give up for a while so that a problem fits a budget: tensors that
 * rest between two uses are copied out and back, or made again by their op.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUDGET_BUDGET_H
#define MP_BUDGET_BUDGET_H

#include "base/watch.h"
#include "budget/detour.h"
#include "problem/schedule.h"

struct budget_job {
	const struct schedule *schedule;
	enum detour_mode mode;
	bool recompute; /* ops may run again */
	uint64_t write_rate, read_rate;
	uint64_t target; /* bytes that the load of no step may exceed */
	uint64_t work;	 /* to spend on improving a choice, about 1 ns each */
	uint32_t forward_end; /* first step of the backward pass; 0: none */
	const bool *tied;     /* of a tensor: it may not leave; NULL: none is */
	struct watch watch;   /* told of every choice */
	struct arena *arena;

	/* What came out. */
	struct detour *detours; /* by tensor, then by step */
	uint32_t n_detours;
	uint64_t nanoseconds;  /* of the run */
	uint64_t before;       /* of the run without detours */
	uint64_t reached;      /* greatest load that is left */
	uint32_t reached_step; /* first step that has it */
};

/* Fills what came out; reached is at most target if that was found. With copies
 * it is found if there is any choice; the time added is small, but need not be
 * the least. It is at most that of copying every rest that spans forward_end,
 * where that meets the target, and that of any mode before. False: memory is
 * out. */
bool mp_budget_choose(struct budget_job *job);

#endif
