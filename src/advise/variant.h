/*
 * A graph and its order with one change applied.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ADVISE_VARIANT_H
#define MP_ADVISE_VARIANT_H

#include "problem/results.h"

/* Sets advice->peak to the theoretical minimum with this change alone;
 * UINT64_MAX if the change is not possible. False: no memory. */
bool mp_advise_variant_measure(const struct schedule *schedule, bool inplace,
	struct advice *advice, struct arena *arena, struct error *e);

#endif
