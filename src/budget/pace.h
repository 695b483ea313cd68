/*
 * When the copies of a choice run, and how long the run then takes. Copies wait
 * for each other in one queue. A write is queued behind the last use of its
 * tensor, and compute waits for it where the bytes are needed; a read is queued
 * where there is room for its bytes, and compute waits for it before the next
 * use. So the bytes are safe whatever the copies take; the times say only where
 * it is best to wait.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUDGET_PACE_H
#define MP_BUDGET_PACE_H

#include "budget/rests.h"

struct pace {
	const struct problem *problem;
	struct candidate *at;
	uint32_t n;
	enum detour_mode mode;
	bool quick;	    /* only the way that was best last time */
	uint64_t target;    /* bytes that no step may exceed */
	uint64_t *extra;    /* of a step: bytes on top of its load */
	uint64_t *cost;	    /* of a step: nanoseconds of its op */
	uint64_t peak;	    /* greatest load that is left */
	uint32_t peak_step; /* first step that has it */

	/* Scratch. */
	uint32_t *by_last, *by_next; /* candidates in the order of uses */
	uint32_t *leaving, *coming;  /* chosen ones that are written, read */
	uint32_t n_leaving, n_coming;
	uint64_t *load, *drift, *join; /* of a step */
	uint64_t *again;	       /* of a step: what runs again */
	uint64_t *done;		       /* of a copy */
	uint32_t way;		       /* that was best */
	uint32_t *seen, round;	       /* of an item: round that wrote it */
};

/* extra is zero at first; the caller may change it. */
bool mp_budget_pace_init(struct pace *pace, const struct budget_job *job,
	struct candidate *at, uint32_t n);

/* Time of a run with what is chosen, in nanoseconds. Fills the steps of the
 * chosen detours, which of them write, and the peak. If the chosen ones can
 * meet the target at all, they do; a mode is never slower than the ones
 * before, unless quick. */
uint64_t mp_budget_pace_run(struct pace *pace);

/* What that costs, about 1 ns each. */
uint64_t mp_budget_pace_work(const struct pace *pace);

#endif
