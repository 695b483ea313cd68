/*
 * A bundle: several graphs in one arena. It is a graph itself: the ops and
 * tensors of its members, one member after the other. This struct says where
 * each member begins and ends. All zero: a single graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_MEMBERS_H
#define MP_GRAPH_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the arena that belong to a member. */
struct extent {
	uint64_t base, size; /* both 0: none */
};

struct bundle_member {
	const char *name; /* its tensors are called name/tensor */
	uint32_t n_ops, n_tensors;

	/* The regions that a plan file claims, if it does; see
	 * mp_plan_regions(). */
	struct extent shared, kept;
	bool claimed;
};

struct bundle {
	const struct bundle_member *members;
	uint32_t n;	 /* members; 0: not a bundle */
	bool concurrent; /* members run at the same time, else in turn */
};

#endif
