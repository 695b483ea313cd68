/*
 * Blocks of a simulated allocator: made, split, merged and counted.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "simulate/inside.h"

/* A few blocks are there before any request. */
bool mp_simulate_allocator_open(struct pool *pool,
	const struct allocator *allocator, uint32_t n_requests,
	struct arena *arena)
{
	pool->room = n_requests * allocator->blocks + 4;
	pool->blocks = NEW(arena, struct block, pool->room);
	pool->high = NEW(arena, uint64_t, n_requests);
	pool->spare = NONE;
	for (uint32_t i = 0; i < countof(pool->lists); i++)
		pool->lists[i] = (struct free_list){pool->blocks, NONE};
	return pool->blocks && pool->high;
}

uint32_t mp_simulate_allocator_block(struct pool *pool)
{
	uint32_t block = pool->spare;

	if (block == NONE)
		block = pool->n_blocks++;
	else
		pool->spare = pool->blocks[block].next;
	assert(pool->n_blocks <= pool->room);
	pool->blocks[block] = (struct block){.prev = NONE, .next = NONE};
	return block;
}

void mp_simulate_allocator_drop(struct pool *pool, uint32_t block)
{
	assert(block < pool->n_blocks);
	pool->blocks[block].next = pool->spare;
	pool->spare = block;
}

uint32_t mp_simulate_allocator_split(
	struct pool *pool, uint32_t head, uint64_t size)
{
	uint32_t rest = mp_simulate_allocator_block(pool);
	struct block *h = &pool->blocks[head], *r = &pool->blocks[rest];

	assert(h->size > size);
	r->size = h->size - size;
	r->rank = h->rank + size;
	r->region = h->region;
	r->list = h->list;
	r->prev = head;
	r->next = h->next;
	if (h->next != NONE)
		pool->blocks[h->next].prev = rest;
	h->next = rest;
	h->size = size;
	return rest;
}

uint32_t mp_simulate_allocator_fit(
	struct pool *pool, uint32_t list, uint64_t size)
{
	uint32_t block = mp_simulate_free_blocks_fit(&pool->lists[list], size);

	if (block != NONE) {
		mp_simulate_free_blocks_remove(&pool->lists[list], block);
		pool->blocks[block].users = 1;
	}
	return block;
}

/* Takes a neighbour off the free list if the two belong together. */
static bool joins(struct pool *pool, uint32_t block, uint32_t neighbour)
{
	uint8_t list = pool->blocks[block].list;

	if (neighbour == NONE || pool->blocks[neighbour].users > 0 ||
		pool->blocks[neighbour].list != list)
		return false;
	mp_simulate_free_blocks_remove(&pool->lists[list], neighbour);
	return true;
}

static void merge(struct pool *pool, uint32_t lower, uint32_t upper)
{
	struct block *l = &pool->blocks[lower], *u = &pool->blocks[upper];

	l->size += u->size;
	l->next = u->next;
	if (u->next != NONE)
		pool->blocks[u->next].prev = lower;
	mp_simulate_allocator_drop(pool, upper);
}

void mp_simulate_allocator_settle(struct pool *pool, uint32_t block)
{
	uint32_t prev = pool->blocks[block].prev;
	uint32_t next = pool->blocks[block].next;

	if (joins(pool, block, next))
		merge(pool, block, next);
	if (joins(pool, block, prev)) {
		merge(pool, prev, block);
		block = prev;
	}
	mp_simulate_free_blocks_put(
		&pool->lists[pool->blocks[block].list], block);
}

void mp_simulate_allocator_give(struct pool *pool, uint32_t block)
{
	assert(pool->blocks[block].users == 1);
	pool->blocks[block].users = 0;
	mp_simulate_allocator_settle(pool, block);
}
