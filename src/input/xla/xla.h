/*
 * What XLA's dumps say, as text or as a message, on its way to a graph. Only
 * for the files of this folder.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_XLA_XLA_H
#define MP_INPUT_XLA_XLA_H

#include "graph/graph.h"

struct xla_parts {
	struct op *ops;		   /* one a step */
	struct tensor *tensors;	   /* with fixed lifetimes and offsets */
	struct memory_pool *pools; /* one an allocation; of MOST_POOLS */
	uint32_t n_ops, n_tensors, n_pools;
};

/* The pool of the allocation with that number; at most MOST_POOLS. */
bool mp_input_xla_add_pool(
	struct xla_parts *parts, uint64_t number, struct arena *arena);

/* Tensors have pool k + 1 of those that were added. */
bool mp_input_xla_fill(const struct xla_parts *parts, struct graph *graph,
	uint64_t alignment, struct arena *arena, struct error *e);

#endif
