/*
 * Aligned memory of the host. malloc guarantees less alignment than plans
 * require, and aligned_alloc is not everywhere. So this allocates a little more
 * and aligns the base; the address that malloc gave stands in front of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memplan/host.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void *memplan_host_allocate(const struct memplan_pool *pool)
{
	uint64_t spare = pool->align + sizeof(void *);
	unsigned char *memory, *block;
	size_t above;

	assert(pool->align > 0 && (pool->align & (pool->align - 1)) == 0);
	if (spare < pool->align || pool->size > SIZE_MAX - spare)
		return NULL;
	memory = malloc((size_t)(pool->size + spare));
	if (!memory)
		return NULL;
	block = memory + sizeof(memory);
	above = (uintptr_t)block & ((size_t)pool->align - 1);
	if (above)
		block += (size_t)pool->align - above;
	memcpy(block - sizeof(memory), &memory, sizeof(memory));
	return block;
}

void memplan_host_free(void *block)
{
	void *memory;

	if (!block)
		return;
	memcpy(&memory, (unsigned char *)block - sizeof(memory),
		sizeof(memory));
	free(memory);
}
