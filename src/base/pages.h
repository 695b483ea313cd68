/*
 * Large blocks of memory, which a file a system takes from it: pages-posix.c,
 * or pages-calloc.c where there is nothing better. Only for arenas and sinks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_PAGES_H
#define MP_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

enum {
	/* An arena or a sink that needs more takes pages: a large one costs the
	 * system less than 64 small ones. */
	PAGES_FROM = 256 * 1024
};

/* Zeroed memory, aligned for any type; NULL: there is none. Memory that is
 * never touched is never taken. Fills the room: to so many bytes the block may
 * grow. */
void *mp_pages_take(size_t bytes, size_t *room);

/* Grows a block from so many bytes to more, at most its room. What is added is
 * zeroed. False: memory is out. */
bool mp_pages_grow(void *memory, size_t from, size_t to);

/* Gives back what a block of so many bytes has behind those that stay, as far
 * as whole pages go. Returns how many bytes it has now. */
size_t mp_pages_shrink(void *memory, size_t from, size_t to);

/* Gives a block back, with all of its room. */
void mp_pages_give(void *memory, size_t room);

#endif
