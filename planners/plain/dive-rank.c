/*
 * The static order of a dive: items by up to three keys, given as letters.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/dive.h"

#include <string.h>

#include "base/sort.h"

static uint64_t area(const struct packing *p, uint32_t item)
{
	uint64_t product;

	if (!num_mul((uint64_t)p->size[item], p->lifetime[item], &product))
		product = NUM_MAX_BYTES;
	return product;
}

static uint64_t key_of(const struct packing *p, uint32_t item, char letter)
{
	switch (letter) {
	case 'A':
		return area(p, item);
	case 'C':
		return p->end[item] - p->start[item];
	case 'L':
		return NONE - p->start[item];
	case 'O':
		return mp_planner_packing_conflicts(p, item);
	case 'W':
		return p->lifetime[item];
	default:
		return (uint64_t)p->size[item];
	}
}

/* The greatest keys come first. */
static bool fill_keys(const struct packing *p, char letter, uint64_t *key,
	struct arena *scratch)
{
	if (letter != 'T')
		for (uint32_t i = 0; i < p->n_items; i++)
			key[i] = key_of(p, i, letter);
	else if (!mp_planner_packing_urgency(p, (int64_t *)key, scratch))
		return false;
	for (uint32_t i = 0; i < p->n_items; i++)
		key[i] = UINT64_MAX - key[i];
	return true;
}

bool mp_planner_dive_rank(
	struct dive *d, const char *keys, struct arena *scratch)
{
	const struct packing *p = d->packing;
	struct arena_mark mark = mp_arena_mark(scratch);
	uint64_t *key = NEW(scratch, uint64_t, p->n_items);
	bool ranked = key != NULL;

	for (uint32_t i = 0; i < p->n_items; i++)
		d->order[i] = i;
	for (size_t letter = strlen(keys); ranked && letter-- > 0;) {
		ranked = fill_keys(p, keys[letter], key, scratch);
		if (ranked)
			mp_sort_radix(d->order, d->inside, p->n_items, key);
	}
	mp_arena_rewind(scratch, mark);
	return ranked;
}
