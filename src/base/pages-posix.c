/*
 * A block is the begin of a range of addresses that is much longer, so that it
 * can grow in place. Its pages are mapped, and large ones are asked for.
 *
 * SPDX-License-Identifier: MIT
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise() */

#include "base/pages.h"

#include <assert.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum {
	LARGE_PAGE = 2 << 20,
	ROOM = 64 /* times what a block has at first */
};

/* Whole large pages: Linux aligns a mapping to them if its length is. */
static size_t mapped(size_t bytes)
{
	return (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

/* Addresses without memory cost nothing, but a process may have a limit of
 * them: then what a block reserves, others lack. */
static bool has_addresses(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) == 0 &&
	       limit.rlim_cur == RLIM_INFINITY;
}

static void *reserve(size_t room)
{
	void *memory =
		mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void *mp_pages_take(size_t bytes, size_t *room)
{
	void *memory = NULL;

	*room = mapped(bytes);
	if (*room <= SIZE_MAX / ROOM && has_addresses())
		memory = reserve(*room * ROOM);
	if (memory)
		*room *= ROOM;
	else
		memory = reserve(*room);
	if (!memory || mp_pages_grow(memory, 0, bytes))
		return memory;
	mp_pages_give(memory, *room);
	return NULL;
}

bool mp_pages_grow(void *memory, size_t from, size_t to)
{
	char *added = (char *)memory + mapped(from);
	size_t length = mapped(to) - mapped(from);

	assert(from < to);
	if (length == 0)
		return true;
	if (mprotect(added, length, PROT_READ | PROT_WRITE) != 0)
		return false;
#ifdef MADV_HUGEPAGE
	(void)madvise(added, length, MADV_HUGEPAGE);
#endif
	return true;
}

/* New pages take the place of the old ones: not every system forgets what was
 * in them otherwise. */
size_t mp_pages_shrink(void *memory, size_t from, size_t to)
{
	char *rest = (char *)memory + mapped(to);
	size_t length = mapped(from) - mapped(to);

	assert(0 < to && to <= from);
	if (length == 0 || mmap(rest, length, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
				   0) == MAP_FAILED)
		return from;
	return mapped(to);
}

void mp_pages_give(void *memory, size_t room)
{
	munmap(memory, room);
}
