/*
 * The pools that a buffer may lie in.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "pools/pools.h"

uint64_t mp_pools_size(const struct problem *problem,
	const struct memory_pool *pool, uint32_t buffer)
{
	uint64_t size = problem->buffers[buffer].size;

	return mp_problem_is_reserved(problem, buffer)
		       ? size
		       : num_up(size, pool->alignment);
}

uint32_t mp_pools_assign_pool(
	const struct assignment *a, uint32_t buffer, uint32_t rank)
{
	const struct problem *p = a->problem;

	assert(rank < p->pool_lists[p->pool_list[buffer]].n);
	return p->pool_lists[p->pool_list[buffer]].at[rank];
}

static bool is_large_enough(const struct problem *p,
	const struct memory_pool *pool, uint32_t buffer)
{
	uint64_t offset = p->buffers[buffer].offset, end;

	if (offset == NO_OFFSET)
		offset = 0;
	return num_add(offset, mp_pools_size(p, pool, buffer), &end) &&
	       end <= mp_graph_pool_room(pool);
}

uint32_t mp_pools_assign_next(
	const struct assignment *a, uint32_t buffer, uint32_t rank)
{
	const struct problem *p = a->problem;
	uint32_t n = p->pool_lists[p->pool_list[buffer]].n;

	for (; rank < n; rank++)
		if (is_large_enough(p,
			    &p->pools[mp_pools_assign_pool(a, buffer, rank)],
			    buffer))
			return rank;
	return NONE;
}

bool mp_pools_fill_may_leave(const struct filling *f, uint32_t member)
{
	uint32_t buffer = f->members[member];

	assert(member < f->n);
	return !f->a->settled &&
	       f->a->problem->buffers[buffer].offset == NO_OFFSET &&
	       (f->blocks || mp_pools_assign_next(f->a, buffer,
				     f->a->rank[buffer] + 1) != NONE);
}
