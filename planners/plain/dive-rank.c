/*
 * The static order of a dive: items by up to RANK_KEYS keys.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/sort.h"
#include "planners/plain/dive.h"

/* What the keys of items follow from. */
struct ranking {
	const struct packing *packing;
	struct peaks peaks; /* of the loads of sections */
};

static uint64_t area(const struct packing *p, uint32_t item)
{
	uint64_t product;

	if (!num_mul((uint64_t)p->size[item], p->lifetime[item], &product))
		product = NUM_MAX_BYTES;
	return product;
}

/* The greatest come first. */
static uint64_t value_of(
	const struct ranking *r, uint32_t item, enum rank_key key)
{
	const struct packing *p = r->packing;

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
	case RANK_PRESSURE:
		return mp_planner_peaks_of(
			&r->peaks, p->start[item], p->end[item]);
	case RANK_NONE:
	case RANK_WHOLE:
	case RANK_PEAK:
		break;
	}
	assert(!"a key of dives");
	return 0;
}

bool mp_planner_dive_rank(struct dive *d, const enum rank_key keys[RANK_KEYS],
	struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct ranking r = {.packing = d->packing};
	uint32_t n = d->packing->n_items;
	uint64_t *value = NEW(scratch, uint64_t, n);
	bool ranked = value && mp_planner_peaks_init(&r.peaks,
				       (const uint64_t *)d->packing->load,
				       d->packing->n_sections, scratch);

	for (uint32_t i = 0; i < n; i++)
		d->order[i] = i;
	/* The sort is stable: the most important key comes last. */
	for (uint32_t k = RANK_KEYS; ranked && k-- > 0;) {
		if (keys[k] == RANK_NONE)
			continue;
		for (uint32_t i = 0; i < n; i++)
			value[i] = UINT64_MAX - value_of(&r, i, keys[k]);
		mp_sort_radix(d->order, d->inside, n, value);
	}
	mp_arena_rewind(scratch, mark);
	return ranked;
}
