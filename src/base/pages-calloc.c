/*
 * Large blocks from the C library: for systems without mmap(), and for builds
 * with sanitizers, which watch what the C library gives out.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/pages.h"

#include <stdlib.h>

void *mp_pages_take(size_t bytes)
{
	return calloc(1, bytes);
}

void mp_pages_give(void *memory, size_t bytes)
{
	(void)bytes;
	free(memory);
}
