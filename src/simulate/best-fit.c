/*
 * Best fit with coalescing: TensorFlow's BFC allocator and MindSpore's dynamic
 * pool. Both cut regions into chunks, take the least free chunk that is large
 * enough (of equal ones the lowest), and merge a free chunk with its free
 * neighbours; they differ in rounding, in when they split, and in how they
 * grow. BFC's bins only shorten the search: the chunks of a bin are smaller
 * than those of the next, so the first fit over all bins is the best fit.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/inside.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

/* One region for all: as large as sizes may become. */
#define UNBOUNDED NUM_MAX_BYTES

/* BFC keeps a chunk whole unless it is twice the request or this much would be
 * lost inside it. */
#define BFC_MAX_LOSS (128 * MIB)

struct rules {
	uint64_t round;	     /* of requests */
	uint64_t least_rest; /* split if that much is left; 0: BFC's rule */
	uint64_t unit;	     /* grow by multiples; 0: doubling */
	bool two_pools;	     /* weights and states have a pool of their own */
};

static const struct rules rules[] = {
	[BFC] = {256, 0, 0, false},
	[BFC_ONE] = {256, 0, UNBOUNDED, false},
	[MINDSPORE] = {512, 512, 1, true}, /* its unit is a setting */
	[MINDSPORE_ONE] = {512, 512, UNBOUNDED, false},
};

static bool is_unbounded(const struct pool *pool)
{
	return rules[pool->variant].unit == UNBOUNDED;
}

/* ---------------------------------------------------------- figures */

/* Of one unbounded region only what was once handed out counts as reserved. */
static uint64_t usable_size(const struct pool *pool, uint32_t chunk)
{
	const struct block *block = &pool->blocks.at[chunk];
	uint64_t high = pool->high[block->region];

	if (!is_unbounded(pool) || block->rank + block->size <= high)
		return block->size;
	return high > block->rank ? high - block->rank : 0;
}

static uint64_t largest_free(const struct pool *pool)
{
	uint64_t largest = 0;
	uint32_t last, second;

	for (uint32_t i = 0; i < countof(pool->blocks.root); i++) {
		last = mp_blocks_last(&pool->blocks, i, &second);
		if (last != NONE)
			largest = num_max(largest, usable_size(pool, last));
		if (second != NONE)
			largest = num_max(largest, usable_size(pool, second));
	}
	return largest;
}

static void count(struct pool *pool, uint32_t chunk)
{
	const struct block *block = &pool->blocks.at[chunk];
	uint64_t *high = &pool->high[block->region];
	uint64_t end = num_max(*high, block->rank + block->size);

	pool->result->high_water += end - *high;
	*high = end;
	if (is_unbounded(pool))
		pool->result->reserved = pool->result->high_water;
}

/* -------------------------------------------------------- splitting */

static bool worth_splitting(const struct pool *pool, uint64_t size, uint64_t r)
{
	uint64_t least_rest = rules[pool->variant].least_rest;

	if (least_rest > 0)
		return size - r >= least_rest;
	return size >= 2 * r || size - r >= BFC_MAX_LOSS;
}

static uint32_t take_fit(struct pool *pool, uint32_t list, uint64_t size)
{
	uint32_t chunk = mp_blocks_take(&pool->blocks, list, size);

	if (chunk == NONE)
		return NONE;
	if (worth_splitting(pool, pool->blocks.at[chunk].size, size))
		mp_blocks_settle(&pool->blocks,
			mp_blocks_split(&pool->blocks, chunk, size));
	count(pool, chunk);
	return chunk;
}

/* ---------------------------------------------------------- growing */

/* BFC doubles the size of the next region until the request fits, and once more
 * behind a region that needed no doubling. */
static uint64_t doubled_size(struct pool *pool, uint64_t size)
{
	bool fits;
	uint64_t region;

	pool->next_size = num_max(pool->next_size, 2 * MIB);
	fits = size <= pool->next_size;
	while (pool->next_size < size)
		pool->next_size *= 2;
	region = pool->next_size;
	if (fits && pool->next_size < NUM_MAX_BYTES)
		pool->next_size *= 2;
	return region;
}

/* The last region is what is left of the most that the pool may hold. */
static uint64_t told_size(struct pool *pool, uint64_t size)
{
	const struct pool_settings *told = pool->settings;
	uint64_t unit = told->increment, left;
	uint64_t bytes = (size + unit - 1) / unit * unit;

	if (told->most == 0)
		return bytes;
	left = told->most - num_min(told->most, pool->result->reserved);
	return bytes <= left ? bytes : left - left % rules[MINDSPORE].round;
}

static uint64_t region_size(struct pool *pool, uint64_t size)
{
	uint64_t unit = rules[pool->variant].unit;

	if (pool->variant == MINDSPORE)
		return told_size(pool, size);
	return unit == 0 ? doubled_size(pool, size) : num_up(size, unit);
}

static bool add_region(struct pool *pool, uint64_t bytes, uint8_t list)
{
	uint32_t region = pool->result->regions, chunk;

	if (bytes > NUM_MAX_BYTES - pool->top)
		return false;
	pool->high[region] = pool->top;
	pool->result->regions++;
	pool->result->reserved += is_unbounded(pool) ? 0 : bytes;
	chunk = mp_blocks_new(&pool->blocks);
	pool->blocks.at[chunk].size = bytes;
	pool->blocks.at[chunk].rank = pool->top;
	pool->blocks.at[chunk].region = region;
	pool->blocks.at[chunk].list = list;
	pool->top += bytes;
	mp_blocks_put(&pool->blocks, chunk);
	return true;
}

/* Half of what is held from the start is the common pool, half the persistent
 * one. */
static bool start(struct pool *pool)
{
	const struct pool_settings *told = pool->settings;
	uint64_t half = (told->most ? num_min(told->initial, told->most)
				    : told->initial) /
			2;

	half -= half % rules[MINDSPORE].round;
	if (pool->variant != MINDSPORE || pool->result->regions > 0 ||
		half == 0)
		return true;
	return add_region(pool, half, 0) && add_region(pool, half, 1);
}

static bool grow(struct pool *pool, uint64_t size, uint8_t list)
{
	uint64_t bytes = region_size(pool, size);

	return bytes >= size && add_region(pool, bytes, list);
}

/* What the persistent pool lacks the common pool may give before either grows;
 * what the common pool lacks, the persistent one if neither can grow. */
static uint32_t take_chunk(struct pool *pool, uint64_t bytes, bool persistent)
{
	uint64_t size = num_up(num_max(bytes, 1), rules[pool->variant].round);
	uint8_t list = persistent && rules[pool->variant].two_pools;
	uint32_t chunk;

	if (!start(pool))
		return NONE;
	chunk = take_fit(pool, list, size);
	if (chunk == NONE && list == 1)
		chunk = take_fit(pool, 0, size);
	if (chunk == NONE && grow(pool, size, list))
		chunk = take_fit(pool, list, size);
	if (chunk == NONE && list == 0)
		chunk = take_fit(pool, 1, size);
	if (chunk == NONE && pool->variant == MINDSPORE &&
		pool->settings->most > 0)
		pool->result->refused = size;
	return chunk;
}

void mp_simulate_give(struct pool *pool, uint32_t block)
{
	mp_blocks_give(&pool->blocks, block);
}

const struct allocator mp_simulate_best_fit = {
	2, take_chunk, mp_simulate_give, largest_free};
