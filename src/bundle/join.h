/*
 * Bundles: planned graphs become one graph that knows its answers. See join.c,
 * and parts.c for where the bytes of each go.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_JOIN_H
#define MP_JOIN_H

#include "graph.h"
#include "plan.h"

/* A planned graph on its way into a bundle. */
struct joined {
	const struct plan *plan;
	const char *name, *place; /* as the bundle calls it; its file */
	bool from_plan;		  /* its fixed offsets are a plan's */
	uint32_t first_tensor, n_tensors;
	uint32_t first_op, n_ops;
	uint32_t first_stream, n_streams;
	uint32_t *tensor;  /* of an item; NONE: external */
	uint64_t *offsets; /* of a buffer, in the region it is in */
	bool *is_kept;	   /* of a buffer: it is in the second region */
	struct extent shared, kept;
};

/* Gives every part its two regions: bytes that others may use when it does not
 * run, and what it keeps between its runs. Fills offsets, is_kept, shared and
 * kept. */
bool mp_join_place(struct joined *parts, uint32_t n, bool concurrent,
	struct arena *arena, struct error *e);

/* Fills graph with the ops and tensors of all parts, offsets and lifetimes
 * fixed; then it can be linked. */
bool mp_join_graph(struct joined *parts, uint32_t n, bool concurrent,
	struct graph *graph, struct arena *arena, struct error *e);

#endif
