/*
 * Bundles: planned graphs become one graph that knows its answers. See join.c,
 * join-place.c for where the bytes of each go,
 * and join-fixed.c for what must not move.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUNDLE_JOIN_H
#define MP_BUNDLE_JOIN_H

#include "graph/graph.h"
#include "problem/plan.h"

/* A planned graph on its way into a bundle. */
struct joined {
	const struct plan *plan;
	const char *name, *place; /* as the bundle calls it; its file */
	bool from_plan;		  /* its fixed offsets are a plan's */
	uint32_t first_tensor, n_tensors;
	uint32_t first_op, n_ops;
	uint32_t first_stream, n_streams;
	uint32_t first_list; /* of pools */
	uint32_t *tensor;    /* of a tensor of the plan; NONE: external */
	uint64_t *offsets;   /* of a buffer, in the region it is in */
	bool *is_kept;	     /* of a buffer: it is in the second region */
	struct extent shared, kept;
};

/* Gives every part its two regions: bytes that others may use when it does not
 * run, and what it keeps between its runs. Fills offsets, is_kept, shared and
 * kept. */
bool mp_bundle_join_place(struct joined *parts, uint32_t n, bool concurrent,
	struct arena *arena, struct error *e);

/* Where a buffer of the part's plan lies now. */
uint64_t mp_bundle_joined_offset(const struct joined *part, uint32_t buffer);

/* Whether an op's output took over the bytes of that input of it. A plan that
 * is read back has two buffers there: one ends as the other begins. */
bool mp_bundle_joined_takes_over(
	const struct joined *part, uint32_t output, uint32_t input);

/* Of a buffer of the part's plan: the one whose bytes it took over, or that one
 * did before, or itself. NULL: no memory. */
const uint32_t *mp_bundle_joined_roots(
	const struct joined *part, struct arena *arena);

/* Fills in the bytes that any of the parts reserves. */
bool mp_bundle_join_reserve(const struct joined *parts, uint32_t n,
	struct graph *graph, struct arena *arena, struct error *e);

/* Whether mp_bundle_join_place() moved no fixed offset and left alone the bytes
 * that the ties reserve. Otherwise all has to be placed anew, see replan.h. */
bool mp_bundle_join_holds(const struct joined *parts, uint32_t n,
	bool concurrent, const struct ties *ties);

/* Fills graph with the ops and tensors of all parts, offsets and lifetimes
 * fixed; then it can be linked. */
bool mp_bundle_join_graph(struct joined *parts, uint32_t n, bool concurrent,
	struct graph *graph, struct arena *arena, struct error *e);

#endif
