/*
 * Changes that could lower the peak, by what the loads say.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ADVISE_CANDIDATES_H
#define MP_ADVISE_CANDIDATES_H

#include "problem/results.h"

enum {
	CANDIDATES_MOST = 8, /* of each kind; the rest is not tried */
};

struct candidates {
	struct advice at[N_ADVICE][CANDIDATES_MOST]; /* peak: as estimated */
	uint32_t n[N_ADVICE];
};

bool mp_advise_candidates_find(const struct schedule *schedule,
	struct candidates *candidates, struct arena *arena);

#endif
