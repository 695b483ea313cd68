/*
 * The ranks of a dive: its items sorted by keys.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/dive.h"

#include <assert.h>
#include <stdatomic.h>

#include "base/sort.h"

enum {
	LEAST_CUT = 20000, /* items of a loop for several threads */
	AHEAD = 32 /* buffers that are on their way from memory: they lie
		      anywhere */
};

/* What the values of items follow from. Those of several keys are one number as
 * long as it has bits for them, so that one sort does for these keys. */
struct ranking {
	const struct packing *packing;
	enum rank_key key;
	uint32_t shift;	    /* of its values, above those of the keys behind */
	atomic_ullong bits; /* that some value has */
	uint64_t *value;    /* of an item: the least comes first */
};

static uint64_t area(uint64_t size, uint64_t lifetime)
{
	uint64_t product;

	return num_mul(size, lifetime, &product) ? product : NUM_MAX_BYTES;
}

/* The greatest come first. */
static uint64_t value_of(
	const struct packing *p, uint32_t item, enum rank_key key)
{
	switch (key) {
	case RANK_SIZE:
		return (uint64_t)p->size[item];
	case RANK_AREA:
		return area((uint64_t)p->size[item],
			mp_planner_packing_lifetime(p, item));
	case RANK_LIFETIME:
		return mp_planner_packing_lifetime(p, item);
	case RANK_CONFLICTS:
		return mp_planner_packing_conflicts(p, item);
	case RANK_START:
		return p->n_sections - p->start[item];
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

/* No value is greater. */
static uint64_t most_of(const struct packing *p, enum rank_key key)
{
	switch (key) {
	case RANK_AREA:
		return area((uint64_t)p->max_load, p->problem->n_steps);
	case RANK_LIFETIME:
		return p->problem->n_steps;
	case RANK_CONFLICTS:
		return p->n_items;
	case RANK_START:
	case RANK_SECTIONS:
		return p->n_sections;
	case RANK_SIZE:
	case RANK_PRESSURE:
	case RANK_NONE:
	case RANK_LAST:
	case RANK_WHOLE:
	case RANK_PEAK:
		break;
	}
	return (uint64_t)p->max_load;
}

static uint32_t n_bits(uint64_t value)
{
	return value > 0 ? 64 - (uint32_t)__builtin_clzll(value) : 0;
}

static void fill_values(void *context, uint32_t from, uint32_t to)
{
	struct ranking *r = context;
	const struct packing *p = r->packing;
	const struct buffer *buffers = p->problem->buffers;
	enum rank_key key = r->key;
	bool of_buffer = key == RANK_LIFETIME || key == RANK_AREA;
	uint64_t *value = r->value, bits = 0;
	uint32_t shift = r->shift;

	for (uint32_t i = from; i < to; i++) {
		uint64_t of_key;

		if (of_buffer && i + AHEAD < to)
			__builtin_prefetch(
				&buffers[p->buffer[i + AHEAD]].start);
		of_key = value_of(p, i, key);
		bits |= of_key;
		value[i] =
			(shift > 0 ? value[i] : UINT64_MAX) - (of_key << shift);
	}
	atomic_fetch_or(&r->bits, bits);
}

/* The sort is stable: the most important keys come last. */
void mp_planner_dive_rank(struct dive *d, const enum rank_key keys[RANK_KEYS],
	struct threads *threads)
{
	uint32_t n = d->packing->n_items;
	struct ranking r = {
		.packing = d->packing, .value = (uint64_t *)d->offset};

	for (uint32_t i = 0; i < n; i++)
		d->order[i] = i;
	for (uint32_t k = RANK_KEYS; k > 0; k--) {
		r.key = keys[k - 1];
		if (r.key == RANK_NONE)
			continue;
		if (r.shift + n_bits(most_of(d->packing, r.key)) > 64) {
			mp_sort_radix_shared(
				threads, d->order, d->tree.rank, n, r.value);
			r.shift = 0;
		}
		atomic_init(&r.bits, 0);
		mp_threads_cut(threads, n, LEAST_CUT, fill_values, &r);
		r.shift += n_bits(atomic_load(&r.bits));
	}
	mp_sort_radix_shared(threads, d->order, d->tree.rank, n, r.value);
}
