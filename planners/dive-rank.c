/*
 * The static order of a dive: items by up to three keys, given as letters.
 *
 * SPDX-License-Identifier: MIT
 */
#include "dive.h"

#include <string.h>

#include "radix.h"

static uint64_t area(const struct packing *p, uint32_t item)
{
	uint64_t product;

	if (!num_mul((uint64_t)p->size[item], p->lifetime[item], &product))
		product = NUM_MAX_BYTES;
	return product;
}

static uint64_t key_of(const struct packing *p, const int64_t *urgency,
	uint32_t item, char letter)
{
	switch (letter) {
	case 'A':
		return area(p, item);
	case 'C':
		return p->end[item] - p->start[item];
	case 'L':
		return NONE - p->start[item];
	case 'O':
		return mp_packing_conflicts(p, item);
	case 'T':
		return (uint64_t)urgency[item];
	case 'W':
		return p->lifetime[item];
	default:
		return (uint64_t)p->size[item];
	}
}

bool mp_dive_rank(struct dive *d, const char *keys, struct arena *scratch)
{
	const struct packing *p = d->packing;
	struct arena_mark mark = mp_arena_mark(scratch);
	uint64_t *key = NEW(scratch, uint64_t, p->n_items);
	int64_t *urgency = NEW(scratch, int64_t, p->n_items);
	uint32_t *spare = d->rank;

	if (!key || !urgency || !mp_packing_urgency(p, urgency, scratch))
		return false;
	for (uint32_t i = 0; i < p->n_items; i++)
		d->order[i] = i;
	for (size_t letter = strlen(keys); letter-- > 0;) {
		for (uint32_t i = 0; i < p->n_items; i++)
			key[i] = UINT64_MAX -
				 key_of(p, urgency, i, keys[letter]);
		mp_radix_sort(d->order, spare, p->n_items, key);
	}
	mp_arena_rewind(scratch, mark);
	return true;
}
