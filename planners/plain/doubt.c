/*
 * Doubts from the sizes and lifetimes of all buffers: see doubt.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/doubt.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"

static uint32_t bucket_of(uint64_t value)
{
	uint32_t octave = 63 - (uint32_t)__builtin_clzll(value | 4);

	return octave * 4 + (uint32_t)(value >> (octave - 2) & 3);
}

bool mp_planner_doubts_init(
	struct doubts *doubts, uint32_t n_buffers, struct arena *arena)
{
	memset(doubts, 0, sizeof(*doubts));
	doubts->order = NEW(arena, uint32_t, n_buffers);
	doubts->spare = NEW(arena, uint32_t, n_buffers);
	doubts->value = NEW(arena, uint64_t, n_buffers);
	return doubts->order && doubts->spare && doubts->value;
}

enum measure {
	STARTS,
	SIZES,
	LIVES
};

static uint64_t measure_of(const struct compound *x, enum measure measure)
{
	switch (measure) {
	case STARTS:
		return x->start;
	case SIZES:
		return x->size;
	case LIVES:
		break;
	}
	return x->end - x->start;
}

static void sort_by(
	struct doubts *d, const struct compounds *c, enum measure measure)
{
	for (uint32_t k = 0; k < c->n_live; k++) {
		uint32_t i = c->live[k];

		d->order[k] = i;
		d->value[i] = measure_of(&c->at[i], measure);
	}
	mp_sort_radix(d->order, d->spare, c->n_live, d->value);
}

/* Is the value at that place of the order another one than the one before? */
static bool is_new(const struct doubts *d, uint32_t k)
{
	return k == 0 || d->value[d->order[k - 1]] != d->value[d->order[k]];
}

/* In a bucket so many compounds have one value, on average. Divided by the
 * starts there are: so many with that value begin at a step. */
static void count_values(
	const struct doubts *d, uint32_t n, uint32_t n_starts, uint64_t *doubt)
{
	uint32_t distinct[DOUBT_BUCKETS] = {0};

	memset(doubt, 0, sizeof(*doubt) * DOUBT_BUCKETS);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t bucket = bucket_of(d->value[d->order[k]]);

		doubt[bucket]++;
		distinct[bucket] += is_new(d, k);
	}
	for (uint32_t k = 0; k < DOUBT_BUCKETS; k++)
		if (distinct[k] > 0)
			doubt[k] =
				doubt[k] * DOUBT_ONE / distinct[k] / n_starts;
}

void mp_planner_doubts_find(struct doubts *doubts, const struct compounds *c)
{
	uint32_t n_starts = 0;

	assert(c->n_live == c->n_buffers && c->n == c->n_buffers);
	sort_by(doubts, c, STARTS);
	for (uint32_t k = 0; k < c->n_live; k++)
		n_starts += is_new(doubts, k);
	sort_by(doubts, c, SIZES);
	count_values(doubts, c->n_live, n_starts, doubts->of_size);
	sort_by(doubts, c, LIVES);
	count_values(doubts, c->n_live, n_starts, doubts->of_life);
}

uint64_t mp_planner_doubt_of(
	const struct doubts *doubts, const struct compound *x, enum join how)
{
	if (how == JOIN_CHAIN)
		return doubts->of_size[bucket_of(x->size)];
	if (how == JOIN_STACK)
		return doubts->of_life[bucket_of(x->end - x->start)];
	return 0;
}
