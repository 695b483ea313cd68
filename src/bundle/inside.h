/*
 * The inside of joining: tensors and claims are join.c's, ops are
 * member-ops.c's.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUNDLE_INSIDE_H
#define MP_BUNDLE_INSIDE_H

#include "bundle/join.h"

struct join_work {
	struct joined *parts;
	uint32_t n;
	bool concurrent;
	struct graph *graph;
	uint32_t *ops;	    /* in the order that they run */
	uint32_t n_streams; /* of all */
	struct arena *arena;
	struct error *error;
};

/* PART/name, of a tensor or an op. */
const char *mp_bundle_join_name(const struct join_work *work,
	const struct joined *part, const char *name);

/* Adds the ops of a part, once all its tensors are there. */
bool mp_bundle_join_ops(struct join_work *work, const struct joined *part);

/* What ties tensors of the parts together, once all of them are counted. */
bool mp_bundle_join_ties(struct join_work *work);

/* Where parts in turn have several streams, the first op of each stream waits
 * for the last ops of the part before. */
bool mp_bundle_join_barriers(struct join_work *work);

#endif
