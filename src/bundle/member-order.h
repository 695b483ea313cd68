/*
 * Whether the graphs of a bundle run as it says.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUNDLE_MEMBER_ORDER_H
#define MP_BUNDLE_MEMBER_ORDER_H

#include "graph/graph.h"

/* For a linked graph. Of what is no bundle, true. */
bool mp_bundle_check_order(
	const struct graph *graph, struct arena *arena, struct error *e);

#endif
