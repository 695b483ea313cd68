/*
 * What would lower the theoretical minimum of a plan. Candidates are found by
 * what the loads say; each is then applied to a copy of the graph, and
 * the lifetimes are computed afresh. So the bytes that are told are those that
 * a plan of the changed graph would have as its minimum.
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

/* Room for ADVICE_MOST, lowest peak first. Of a kind that has several the
 * second is told only if each kind had its first. None where the input fixes
 * lifetimes. The graph of the schedule is linked. */
bool mp_advise(const struct schedule *schedule, bool inplace,
	const struct watch *watch, struct advice *advice, uint32_t *n,
	struct arena *arena, struct error *e);

/* Changes that could lower the peak, by what the loads say. */

enum {
	CANDIDATES_MOST = 8, /* of each kind; the rest is not tried */
};

struct candidates {
	struct advice at[N_ADVICE][CANDIDATES_MOST]; /* peak: as estimated */
	uint32_t n[N_ADVICE];
};

bool mp_advise_candidates_find(const struct schedule *schedule,
	struct candidates *candidates, struct arena *arena);

/* Sets advice->peak to the theoretical minimum with this change alone;
 * UINT64_MAX if the change is not possible. False: no memory. */
bool mp_advise_variant_measure(const struct schedule *schedule, bool inplace,
	struct advice *advice, struct arena *arena, struct error *e);

#endif
