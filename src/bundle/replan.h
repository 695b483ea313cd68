/*
 * The problem of placing planned graphs anew, together: for where something
 * must not move, so that their plans do not fit as they are. What one of their
 * plans holds together (a buffer, an output and the input whose bytes it took
 * over, all that a graph keeps between its runs) is a body, one buffer of this
 * problem.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUNDLE_REPLAN_H
#define MP_BUNDLE_REPLAN_H

#include "bundle/join.h"

struct bodies {
	struct schedule *schedule; /* that of the whole, but for its buffers */
	uint32_t *of;		   /* of a buffer of the whole: its body */
	uint64_t *base;		   /* and its first byte there */
	bool exact; /* no body holds more together than planning did */
};

/* The whole is the schedule of the joined graph, with all offsets as
 * mp_bundle_join_place() found them. */
bool mp_bundle_replan_fill(struct bodies *bodies, const struct joined *parts,
	uint32_t n, const struct schedule *whole, struct arena *arena,
	struct error *e);

/* Puts the graph's tensors where the bodies are now. */
void mp_bundle_replan_settle(const struct bodies *bodies,
	const struct schedule *whole, const uint64_t *offsets,
	struct graph *graph);

#endif
