/*
 * The ranks of a dive: its items sorted by keys.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/dive.h"

#include <assert.h>

#include "base/sort.h"

enum {
	LEAST_CUT = 20000, /* items of a loop for several threads */
	AHEAD = 32 /* buffers that are on their way from memory: they lie
		      anywhere */
};

/* What the values of items follow from. */
struct ranking {
	const struct packing *packing;
	enum rank_key key;
	uint64_t *value; /* of an item */
};

static uint64_t area(const struct packing *p, uint32_t item)
{
	uint64_t product;

	if (!num_mul((uint64_t)p->size[item],
		    mp_planner_packing_lifetime(p, item), &product))
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
		return mp_planner_packing_lifetime(p, item);
	case RANK_CONFLICTS:
		return mp_planner_packing_conflicts(p, item);
	case RANK_START:
		return NONE - p->start[item];
	case RANK_SECTIONS:
		return p->end[item] - p->start[item];
	case RANK_PRESSURE:
		return (uint64_t)p->load[p->top[item]];
	case RANK_NONE:
	case RANK_LAST:
	case RANK_WHOLE:
	case RANK_PEAK:
		break;
	}
	assert(false && "not a key of dives");
	return 0;
}

static void fill_values(void *context, uint32_t from, uint32_t to)
{
	const struct ranking *r = context;
	const struct packing *p = r->packing;
	const struct buffer *buffers = p->problem->buffers;
	enum rank_key key = r->key;
	bool of_buffer = key == RANK_LIFETIME || key == RANK_AREA;
	uint64_t *value = r->value;

	for (uint32_t i = from; i < to; i++) {
		if (of_buffer && i + AHEAD < to)
			__builtin_prefetch(
				&buffers[p->buffer[i + AHEAD]].start);
		value[i] = UINT64_MAX - value_of(p, i, key);
	}
}

void mp_planner_dive_rank(struct dive *d, const enum rank_key keys[RANK_KEYS],
	struct threads *threads)
{
	uint32_t n = d->packing->n_items;
	struct ranking r = {
		.packing = d->packing, .value = (uint64_t *)d->offset};

	for (uint32_t i = 0; i < n; i++)
		d->order[i] = i;
	/* The sort is stable: the most important key comes last. */
	for (uint32_t k = RANK_KEYS; k > 0; k--) {
		r.key = keys[k - 1];
		if (r.key == RANK_NONE)
			continue;
		mp_threads_cut(threads, n, LEAST_CUT, fill_values, &r);
		mp_sort_radix_shared(
			threads, d->order, d->tree.rank, n, r.value);
	}
}
