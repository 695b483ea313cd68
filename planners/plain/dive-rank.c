/*
 * The static order of a dive: items by up to RANK_KEYS keys.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/sort.h"
#include "planners/plain/dive.h"

static uint64_t area(const struct packing *p, uint32_t item)
{
	uint64_t product;

	if (!num_mul((uint64_t)p->size[item], p->lifetime[item], &product))
		product = NUM_MAX_BYTES;
	return product;
}

/* The greatest come first. */
static uint64_t value_of(
	const struct packing *p, uint32_t item, enum rank_key key)
{
	switch (key) {
	case RANK_SIZE:
		return (uint64_t)p->size[item];
	case RANK_AREA:
		return area(p, item);
	case RANK_LIFETIME:
		return p->lifetime[item];
	case RANK_CONFLICTS:
		return mp_planner_packing_conflicts(p, item);
	case RANK_START:
		return NONE - p->start[item];
	case RANK_SECTIONS:
		return p->end[item] - p->start[item];
	case RANK_NONE:
	case RANK_PRESSURE:
	case RANK_WHOLE:
	case RANK_PEAK:
		break;
	}
	assert(!"a key of dives");
	return 0;
}

/* Sort keys of all items, the least first. False: memory is out. */
static bool fill_values(const struct packing *p, enum rank_key key,
	uint64_t *value, struct arena *scratch)
{
	if (key != RANK_PRESSURE)
		for (uint32_t i = 0; i < p->n_items; i++)
			value[i] = value_of(p, i, key);
	else if (!mp_planner_packing_urgency(p, (int64_t *)value, scratch))
		return false;
	for (uint32_t i = 0; i < p->n_items; i++)
		value[i] = UINT64_MAX - value[i];
	return true;
}

bool mp_planner_dive_rank(struct dive *d, const enum rank_key keys[RANK_KEYS],
	struct arena *scratch)
{
	const struct packing *p = d->packing;
	struct arena_mark mark = mp_arena_mark(scratch);
	uint64_t *value = NEW(scratch, uint64_t, p->n_items);
	bool ranked = value != NULL;

	for (uint32_t i = 0; i < p->n_items; i++)
		d->order[i] = i;
	/* The sort is stable: the most important key comes last. */
	for (uint32_t k = RANK_KEYS; ranked && k-- > 0;) {
		if (keys[k] == RANK_NONE)
			continue;
		ranked = fill_values(p, keys[k], value, scratch);
		if (ranked)
			mp_sort_radix(d->order, d->inside, p->n_items, value);
	}
	mp_arena_rewind(scratch, mark);
	return ranked;
}
