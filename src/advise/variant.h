/*
 * A graph and its order with one change applied.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ADVISE_VARIANT_H
#define MP_ADVISE_VARIANT_H

#include "graph/graph.h"
#include "problem/plan.h"

/* Sets advice->peak to the theoretical minimum with this change alone;
 * UINT64_MAX if the change is not possible. False: no memory. */
bool mp_advise_variant_measure(const struct graph *graph,
	const struct problem *problem, bool inplace, struct advice *advice,
	struct arena *arena, struct error *e);

#endif
