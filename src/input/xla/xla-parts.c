/*
 * From what XLA's dumps say to a graph: see xla.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/xla/xla.h"

#include <assert.h>

#include "input/places.h"
#include "input/rows.h"

enum {
	ALIGNMENT = 256, /* of XLA on GPUs, the greatest of all */
};

bool mp_input_xla_add_pool(
	struct xla_parts *parts, uint64_t number, struct arena *arena)
{
	struct memory_pool *pool;

	if (!parts->pools)
		parts->pools = NEW(arena, struct memory_pool, MOST_POOLS);
	if (!parts->pools)
		return false;
	assert(parts->n_pools < MOST_POOLS);
	pool = &parts->pools[parts->n_pools++];
	*pool = (struct memory_pool){.capacity = NO_CAPACITY,
		.name = mp_arena_print(
			arena, "allocation%llu", (unsigned long long)number)};
	return pool->name != NULL;
}

bool mp_input_xla_fill(const struct xla_parts *parts, struct graph *graph,
	uint64_t alignment, struct arena *arena, struct error *e)
{
	graph->ops = parts->ops;
	graph->n_ops = parts->n_ops;
	graph->tensors = parts->tensors;
	graph->n_tensors = parts->n_tensors;
	graph->alignment = alignment ? alignment : ALIGNMENT;
	for (uint32_t i = 0; !alignment && i < parts->n_tensors; i++)
		graph->alignment = mp_input_places_align(
			graph->alignment, parts->tensors[i].offset);
	for (uint32_t i = 0; parts->n_pools == 1 && i < parts->n_tensors; i++)
		parts->tensors[i].pools = 0;
	for (uint32_t i = 0; i < parts->n_pools; i++)
		parts->pools[i].alignment = graph->alignment;
	graph->note = "a dump does not say what its instructions read and "
		      "write: lifetimes are XLA's";
	return (parts->n_pools == 1 || mp_input_pools_set(graph, parts->pools,
					       parts->n_pools, arena)) &&
	       mp_input_places_alias(graph, arena, e) &&
	       mp_input_places_keep_order(graph, arena);
}
