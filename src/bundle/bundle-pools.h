/*
 * Bundles of graphs that name several memories.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUNDLE_BUNDLE_POOLS_H
#define MP_BUNDLE_BUNDLE_POOLS_H

#include "bundle/replan.h"

/* Fills the graph's pools with those of all parts, and where each part's lists
 * begin among the graph's. A pool of one name must be the same wherever it is
 * named. Nothing where no part has pools. */
bool mp_bundle_join_pools(struct joined *parts, uint32_t n, struct graph *graph,
	struct arena *arena, struct error *e);

/* Puts the graph's tensors and reserved ranges into the spaces where their
 * bodies are; these become its pools, as a plan file has them. */
bool mp_bundle_pools_settle(const struct bodies *bodies,
	const struct schedule *whole, const struct spaces *spaces,
	struct graph *graph, struct arena *arena);

#endif
