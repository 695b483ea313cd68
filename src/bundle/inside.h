/*
 * The inside of joining: tensors and claims are join.c's, ops are
 * member-ops.c's.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUNDLE_INSIDE_H
#define MP_BUNDLE_INSIDE_H

#include "bundle/bundle.h"

struct join_work {
	struct joined *members;
	uint32_t n;
	bool concurrent, stays;
	struct graph *graph;
	uint32_t *ops;	    /* in the order that they run */
	uint32_t n_streams; /* of all */
	struct arena *arena;
	struct error *error;
};

/* MEMBER/name, of a tensor or an op. */
const char *mp_bundle_join_name(const struct join_work *work,
	const struct joined *member, const char *name);

/* Adds the ops of a member, once all its tensors are there. */
bool mp_bundle_join_ops(struct join_work *work, const struct joined *member);

/* Where members in turn have several streams, the first op of each stream waits
 * for the last ops of the member before. */
bool mp_bundle_join_barriers(struct join_work *work);

/* Where a buffer of the member's plan lies now. */
uint64_t mp_bundle_joined_offset(const struct joined *member, uint32_t buffer);

/* Whether an op's output took over the bytes of that input of it. A plan that
 * is read back has two buffers there: one ends as the other begins. */
bool mp_bundle_joined_takes_over(
	const struct joined *member, uint32_t output, uint32_t input);

/* Of a buffer of the member's plan: the one that it took the bytes of, or that
 * one did before, or itself. NULL: no memory. */
const uint32_t *mp_bundle_joined_roots(
	const struct joined *member, struct arena *arena);

/* Lays the members' regions into the arena: fills offsets, is_kept, shared and
 * kept. */
bool mp_bundle_join_place(struct join_work *work);

/* Fills in the bytes that any of the members reserves. */
bool mp_bundle_join_reserve(struct join_work *work);

/* Fills the graph's pools with those of all members, and where each member's
 * lists begin among the graph's. A pool of one name must be the same wherever
 * it is named. Nothing where no member has pools. */
bool mp_bundle_join_pools(struct join_work *work);

/* Puts the graph's tensors and reserved ranges into the spaces where their
 * buffers are. */
bool mp_bundle_pools_settle(const struct replan *replan,
	const struct spaces *spaces, struct graph *graph, struct arena *arena);

#endif
