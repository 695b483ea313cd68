/*
 * Free blocks in order of size, in a treap.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/inside.h"

/* The finishing steps of MurmurHash3: neighbours in, anything out. */
static uint32_t priority(uint32_t i)
{
	i ^= i >> 16;
	i *= 0x85ebca6bu;
	i ^= i >> 13;
	i *= 0xc2b2ae35u;
	return i ^ (i >> 16);
}

static bool is_less(const struct free_list *s, uint32_t a, uint32_t b)
{
	const struct block *x = &s->blocks[a], *y = &s->blocks[b];

	return x->size != y->size ? x->size < y->size : x->rank < y->rank;
}

/* Down to where the block outranks what is there, which is then split into the
 * block's two subtrees. */
void mp_simulate_free_blocks_put(struct free_list *s, uint32_t block)
{
	uint32_t *at = &s->root, *less, *greater, rest;

	while (*at != NONE && priority(*at) >= priority(block))
		at = is_less(s, block, *at) ? &s->blocks[*at].less
					    : &s->blocks[*at].greater;
	rest = *at;
	*at = block;
	less = &s->blocks[block].less;
	greater = &s->blocks[block].greater;
	while (rest != NONE) {
		if (is_less(s, rest, block)) {
			*less = rest;
			less = &s->blocks[rest].greater;
			rest = *less;
		} else {
			*greater = rest;
			greater = &s->blocks[rest].less;
			rest = *greater;
		}
	}
	*less = *greater = NONE;
}

/* The two subtrees of the block, merged, take its place. */
void mp_simulate_free_blocks_remove(struct free_list *s, uint32_t block)
{
	uint32_t *at = &s->root, less, greater;

	while (*at != block)
		at = is_less(s, block, *at) ? &s->blocks[*at].less
					    : &s->blocks[*at].greater;
	less = s->blocks[block].less;
	greater = s->blocks[block].greater;
	while (less != NONE && greater != NONE) {
		if (priority(less) >= priority(greater)) {
			*at = less;
			at = &s->blocks[less].greater;
			less = *at;
		} else {
			*at = greater;
			at = &s->blocks[greater].less;
			greater = *at;
		}
	}
	*at = less != NONE ? less : greater;
}

uint32_t mp_simulate_free_blocks_fit(const struct free_list *s, uint64_t size)
{
	uint32_t at = s->root, best = NONE;

	while (at != NONE) {
		if (s->blocks[at].size >= size) {
			best = at;
			at = s->blocks[at].less;
		} else {
			at = s->blocks[at].greater;
		}
	}
	return best;
}

uint32_t mp_simulate_free_blocks_last(
	const struct free_list *s, uint32_t *second)
{
	uint32_t at = s->root;

	*second = NONE;
	if (at == NONE)
		return NONE;
	for (; s->blocks[at].greater != NONE; at = s->blocks[at].greater)
		*second = at;
	if (s->blocks[at].less == NONE)
		return at;
	*second = s->blocks[at].less;
	while (s->blocks[*second].greater != NONE)
		*second = s->blocks[*second].greater;
	return at;
}
