/*
 * What would lower the theoretical minimum of a plan. Candidates are found by
 * what the loads say; each is then applied to a copy of the graph, whose
 * lifetimes are computed afresh. So the bytes that are told are those that a
 * plan of the changed graph would have as its minimum.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ADVISE_ADVISE_H
#define MP_ADVISE_ADVISE_H

#include "base/watch.h"
#include "problem/results.h"

enum {
	ADVICE_MOST = 5, /* suggestions that are kept */
};

/* Room for ADVICE_MOST; best first, but the best of each kind before the second
 * of another, and halving the batch last. None where the input fixes lifetimes.
 * The graph of the schedule is linked. */
bool mp_advise(const struct schedule *schedule, bool inplace,
	const struct watch *watch, struct advice *advice, uint32_t *n,
	struct arena *arena, struct error *e);

#endif
