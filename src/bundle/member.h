/*
 * A graph of a bundle, taken out of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUNDLE_MEMBER_H
#define MP_BUNDLE_MEMBER_H

#include "graph/graph.h"
#include "problem/schedule.h"

/* The member that the name of a graph says, as a plan of it: tensors by their
 * own ids, offsets in the one arena, ops by their own indices. It claims
 * nothing but its order. Shares its texts with the bundle. */
bool mp_bundle_member(const struct graph *bundle, const char *name,
	struct graph *member, struct arena *arena, struct error *e);

/* That what a graph keeps between its runs, as its schedule says, is
 * there throughout the bundle. */
bool mp_bundle_check_kept(const struct graph *bundle,
	const struct graph *member, const struct schedule *schedule,
	struct arena *arena, struct error *e);

/* A graph's name as bundles have it. NULL: no memory. */
const char *mp_bundle_name(const char *name, struct arena *arena);

#endif
