/*
 * Large blocks from the C library: for systems without mmap(), and for builds
 * with sanitizers, which watch what the C library gives out.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/pages.h"

#include <assert.h>
#include <stdlib.h>

void *mp_pages_take(size_t bytes, size_t *room)
{
	*room = bytes;
	return calloc(1, bytes);
}

bool mp_pages_grow(void *memory, size_t from, size_t to)
{
	(void)memory;
	(void)from;
	(void)to;
	assert(false && "it has no room");
	return false;
}

size_t mp_pages_shrink(void *memory, size_t from, size_t to)
{
	(void)memory;
	(void)to;
	return from;
}

void mp_pages_give(void *memory, size_t room)
{
	(void)room;
	free(memory);
}
