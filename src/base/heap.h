/*
 * A binary heap and a sort of ops by keys. Ties are broken by op index, so that
 * every result is the same everywhere.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_HEAP_H
#define MP_BASE_HEAP_H

#include "base/arena.h"
#include "base/num.h"

struct keyed {
	uint64_t first, second; /* compared one after the other */
	uint32_t op;		/* decides if `first` is equal */
};

/* The entry with the smallest keys is on top. */
struct heap {
	struct keyed *at;
	uint32_t n, room;
};

bool mp_heap_init(struct heap *heap, uint32_t capacity, struct arena *arena);
void mp_heap_push(struct heap *heap, struct keyed entry);

/* Removes the top of a heap that is not empty. */
struct keyed mp_heap_pop(struct heap *heap);

/* Ascending. */
void mp_keyed_sort(struct keyed *entries, uint32_t n);

#endif
