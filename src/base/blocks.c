/*
 * Free blocks are in a binary search tree by size in which they are also a heap
 * by a hash of their index (a treap; Seidel and Aragon, Randomized Search
 * Trees, 1996), so that the same blocks make the same tree on any machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/blocks.h"

#include <assert.h>

/* A few blocks are there before any request. */
enum {
	FIRST_BLOCKS = 4
};

bool mp_blocks_init(struct blocks *b, uint32_t room, struct arena *arena)
{
	b->room = room + FIRST_BLOCKS;
	b->at = NEW(arena, struct block, b->room);
	mp_blocks_clear(b);
	return b->at != NULL;
}

void mp_blocks_clear(struct blocks *b)
{
	b->n = 0;
	b->spare = b->root[0] = b->root[1] = NONE;
}

uint32_t mp_blocks_new(struct blocks *b)
{
	uint32_t block = b->spare;

	if (block == NONE)
		block = b->n++;
	else
		b->spare = b->at[block].next;
	assert(b->n <= b->room);
	b->at[block] = (struct block){.prev = NONE, .next = NONE};
	return block;
}

void mp_blocks_drop(struct blocks *b, uint32_t block)
{
	assert(block < b->n);
	b->at[block].next = b->spare;
	b->spare = block;
}

/* ------------------------------------------------------------ lists */

/* The finishing steps of MurmurHash3: neighbours in, anything out. */
static uint32_t priority(uint32_t i)
{
	i ^= i >> 16;
	i *= 0x85ebca6bu;
	i ^= i >> 13;
	i *= 0xc2b2ae35u;
	return i ^ (i >> 16);
}

static bool is_less(const struct blocks *blocks, uint32_t a, uint32_t b)
{
	const struct block *x = &blocks->at[a], *y = &blocks->at[b];

	return x->size != y->size ? x->size < y->size : x->rank < y->rank;
}

/* Down to where the block outranks what is there, which is then split into the
 * block's two subtrees. */
void mp_blocks_put(struct blocks *b, uint32_t block)
{
	uint32_t *at = &b->root[b->at[block].list], *less, *greater, rest;

	while (*at != NONE && priority(*at) >= priority(block))
		at = is_less(b, block, *at) ? &b->at[*at].less
					    : &b->at[*at].greater;
	rest = *at;
	*at = block;
	less = &b->at[block].less;
	greater = &b->at[block].greater;
	while (rest != NONE) {
		if (is_less(b, rest, block)) {
			*less = rest;
			less = &b->at[rest].greater;
			rest = *less;
		} else {
			*greater = rest;
			greater = &b->at[rest].less;
			rest = *greater;
		}
	}
	*less = *greater = NONE;
}

/* The two subtrees of the block at that link, merged, take its place. */
static void take_out(struct blocks *b, uint32_t *at)
{
	uint32_t less = b->at[*at].less, greater = b->at[*at].greater;

	while (less != NONE && greater != NONE) {
		if (priority(less) >= priority(greater)) {
			*at = less;
			at = &b->at[less].greater;
			less = *at;
		} else {
			*at = greater;
			at = &b->at[greater].less;
			greater = *at;
		}
	}
	*at = less != NONE ? less : greater;
}

void mp_blocks_remove(struct blocks *b, uint32_t block)
{
	uint32_t *at = &b->root[b->at[block].list];

	while (*at != block)
		at = is_less(b, block, *at) ? &b->at[*at].less
					    : &b->at[*at].greater;
	take_out(b, at);
}

/* The link to the least block that has this size or more, or one to NONE. */
static uint32_t *fit(struct blocks *b, uint32_t list, uint64_t size)
{
	uint32_t *at = &b->root[list], *best = NULL;

	while (*at != NONE) {
		struct block *block = &b->at[*at];
		bool fits = block->size >= size;

		best = fits ? at : best;
		at = fits ? &block->less : &block->greater;
	}
	return best ? best : at;
}

uint32_t mp_blocks_fit(struct blocks *b, uint32_t list, uint64_t size)
{
	return *fit(b, list, size);
}

uint32_t mp_blocks_last(const struct blocks *b, uint32_t list, uint32_t *second)
{
	uint32_t at = b->root[list];

	*second = NONE;
	if (at == NONE)
		return NONE;
	for (; b->at[at].greater != NONE; at = b->at[at].greater)
		*second = at;
	if (b->at[at].less == NONE)
		return at;
	*second = b->at[at].less;
	while (b->at[*second].greater != NONE)
		*second = b->at[*second].greater;
	return at;
}

uint32_t mp_blocks_take(struct blocks *b, uint32_t list, uint64_t size)
{
	uint32_t *at = fit(b, list, size), block = *at;

	if (block != NONE) {
		take_out(b, at);
		b->at[block].users = 1;
	}
	return block;
}

/* --------------------------------------------------- cut and merged */

uint32_t mp_blocks_split(struct blocks *b, uint32_t head, uint64_t size)
{
	uint32_t rest = mp_blocks_new(b);
	struct block *h = &b->at[head], *r = &b->at[rest];

	assert(h->size > size);
	r->size = h->size - size;
	r->rank = h->rank + size;
	r->region = h->region;
	r->list = h->list;
	r->prev = head;
	r->next = h->next;
	if (h->next != NONE)
		b->at[h->next].prev = rest;
	h->next = rest;
	h->size = size;
	return rest;
}

/* Takes a neighbour off its list if the two belong together. */
static bool joins(struct blocks *b, uint32_t block, uint32_t neighbour)
{
	if (neighbour == NONE || b->at[neighbour].users > 0 ||
		b->at[neighbour].list != b->at[block].list)
		return false;
	mp_blocks_remove(b, neighbour);
	return true;
}

static void merge(struct blocks *b, uint32_t lower, uint32_t upper)
{
	struct block *l = &b->at[lower], *u = &b->at[upper];

	l->size += u->size;
	l->next = u->next;
	if (u->next != NONE)
		b->at[u->next].prev = lower;
	mp_blocks_drop(b, upper);
}

void mp_blocks_settle(struct blocks *b, uint32_t block)
{
	uint32_t prev = b->at[block].prev, next = b->at[block].next;

	if (joins(b, block, next))
		merge(b, block, next);
	if (joins(b, block, prev)) {
		merge(b, prev, block);
		block = prev;
	}
	mp_blocks_put(b, block);
}

void mp_blocks_give(struct blocks *b, uint32_t block)
{
	assert(b->at[block].users == 1);
	b->at[block].users = 0;
	mp_blocks_settle(b, block);
}
