/*
 * Tensors of another tool's plan, which says where they lie and when, and not
 * which of them are views of others.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_PLACES_H
#define MP_INPUT_PLACES_H

#include "graph/graph.h"

/* The greatest power of two up to the alignment that the offset is a multiple
 * of. */
static inline uint64_t mp_input_places_align(
	uint64_t alignment, uint64_t offset)
{
	while (offset % alignment != 0)
		alignment /= 2;
	return alignment;
}

/* Tensors with fixed lifetimes and offsets: those at one place, each alive with
 * one before it, become aliases of the largest, with a warning. */
bool mp_input_places_alias(
	struct graph *graph, struct arena *arena, struct error *e);

/* Ops run in the order of the list. */
bool mp_input_places_keep_order(struct graph *graph, struct arena *arena);

#endif
