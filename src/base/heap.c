/*
 * A binary heap in an array, and qsort() by two keys.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/heap.h"

#include <assert.h>
#include <stdlib.h>

static bool is_less(const struct keyed *a, const struct keyed *b)
{
	if (a->first != b->first)
		return a->first < b->first;
	if (a->second != b->second)
		return a->second < b->second;
	return a->op < b->op;
}

bool mp_heap_init(struct heap *heap, uint32_t capacity, struct arena *arena)
{
	heap->n = 0;
	heap->room = capacity;
	heap->at = NEW(arena, struct keyed, capacity);
	return heap->at != NULL;
}

void mp_heap_push(struct heap *heap, struct keyed entry)
{
	uint32_t i = heap->n++, parent;

	assert(i < heap->room);
	for (; i > 0; i = parent) {
		parent = (i - 1) / 2;
		if (!is_less(&entry, &heap->at[parent]))
			break;
		heap->at[i] = heap->at[parent];
	}
	heap->at[i] = entry;
}

struct keyed mp_heap_pop(struct heap *heap)
{
	struct keyed least = heap->at[0], last;
	uint32_t i = 0, child;

	assert(heap->n > 0);
	last = heap->at[--heap->n];
	for (; (child = 2 * i + 1) < heap->n; i = child) {
		if (child + 1 < heap->n &&
			is_less(&heap->at[child + 1], &heap->at[child]))
			child++;
		if (!is_less(&heap->at[child], &last))
			break;
		heap->at[i] = heap->at[child];
	}
	heap->at[i] = last;
	return least;
}

static int compare(const void *a, const void *b)
{
	if (is_less(a, b))
		return -1;
	return is_less(b, a) ? 1 : 0;
}

void mp_keyed_sort(struct keyed *entries, uint32_t n)
{
	qsort(entries, n, sizeof(*entries), compare);
}
