/*
 * Large blocks of memory, which a file a system takes from it: pages-posix.c,
 * or pages-calloc.c where there is nothing better. Only for arena.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_PAGES_H
#define MP_BASE_PAGES_H

#include <stddef.h>

/* Zeroed memory, aligned for any type; NULL: there is none. Memory that is
 * never touched is never taken. */
void *mp_pages_take(size_t bytes);

/* Gives it back, all of it. */
void mp_pages_give(void *memory, size_t bytes);

#endif
