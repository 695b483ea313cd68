/*
 * Whether buffers fit pools, by all assignments and all offsets.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pools/test-assign-brute.h"

enum {
	UNKNOWN,
	FITS,
	TOO_MUCH,
};

struct brute {
	const struct problem *problem;
	uint32_t pool;
	uint32_t members; /* bit i: buffer i */
	uint32_t placed;  /* bit i: buffer i has a place */
	uint64_t offsets[BRUTE_BUFFERS];
	uint8_t known[BRUTE_POOLS][1 << BRUTE_BUFFERS];
};

static bool is_range(const struct problem *p, uint32_t i)
{
	return p->n_reserved > 0 && i >= p->first_reserved;
}

static uint64_t size_of(const struct brute *b, uint32_t i)
{
	const struct problem *p = b->problem;

	return is_range(p, i) ? p->buffers[i].size
			      : num_up(p->buffers[i].size,
					p->pools[b->pool].alignment);
}

static bool is_free(const struct brute *b, uint32_t i)
{
	const struct problem *p = b->problem;

	for (uint32_t k = 0; k < p->n_buffers; k++)
		if ((b->placed >> k & 1) &&
			mp_problem_conflict(p, p->buffers[i].first_part,
				p->buffers[k].first_part) &&
			b->offsets[i] < b->offsets[k] + size_of(b, k) &&
			b->offsets[k] < b->offsets[i] + size_of(b, i))
			return false;
	return true;
}

/* At the lowest place that is free, or where it must be. */
static bool put(struct brute *b, uint32_t i)
{
	const struct problem *p = b->problem;
	const struct memory_pool *pool = &p->pools[b->pool];
	const struct buffer *buffer = &p->buffers[i];
	bool fixed = buffer->offset != NO_OFFSET;

	b->offsets[i] = fixed ? buffer->offset : 0;
	while (!fixed && !is_free(b, i) && b->offsets[i] < pool->capacity)
		b->offsets[i] += num_max(buffer->align, pool->alignment);
	return is_free(b, i) &&
	       (pool->capacity == NO_CAPACITY ||
		       b->offsets[i] + size_of(b, i) <= pool->capacity);
}

/* Those that are fixed come first. */
static bool place_rest(struct brute *b, bool fixed)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < b->problem->n_buffers; i++) {
		uint32_t bit = 1u << i;

		if (!(b->members & ~b->placed & bit) ||
			(b->problem->buffers[i].offset != NO_OFFSET) != fixed)
			continue;
		left++;
		if (!put(b, i))
			continue;
		b->placed |= bit;
		if (place_rest(b, fixed))
			return true;
		b->placed &= ~bit;
	}
	if (left > 0)
		return false;
	return !fixed || place_rest(b, false);
}

static bool pool_fits(struct brute *b, uint32_t pool, uint32_t members)
{
	uint8_t *known = &b->known[pool][members];

	if (*known == UNKNOWN) {
		b->pool = pool;
		b->members = members;
		b->placed = 0;
		*known = place_rest(b, true) ? FITS : TOO_MUCH;
	}
	return *known == FITS;
}

static bool all_fit(struct brute *b, const uint32_t *choice)
{
	const struct problem *p = b->problem;
	uint32_t members[BRUTE_POOLS] = {0};

	for (uint32_t i = 0; i < p->n_buffers; i++)
		members[p->pool_lists[p->pool_list[i]].at[choice[i]]] |= 1u
									 << i;
	for (uint32_t k = 0; k < p->n_pools; k++)
		if (!pool_fits(b, k, members[k]))
			return false;
	return true;
}

static bool next_choice(const struct problem *p, uint32_t *choice)
{
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		if (++choice[i] < p->pool_lists[p->pool_list[i]].n)
			return true;
		choice[i] = 0;
	}
	return false;
}

bool mp_brute_fits(const struct problem *problem)
{
	struct brute b = {.problem = problem};
	uint32_t choice[BRUTE_BUFFERS] = {0};

	do
		if (all_fit(&b, choice))
			return true;
	while (next_choice(problem, choice));
	return false;
}
