/*
 * A hash table with open addressing, in which small numbers are not hashed. As
 * in names.c, a number that finds MOST_LOOKS slots taken goes into a binary
 * tree in slots that are free: a node's children differ in one bit. It is no
 * deeper than a number has bits, whatever numbers are chosen.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/numbers.h"

#include <assert.h>

#include "base/num.h"

enum {
	MOST_LOOKS = 64 /* at slots; random numbers never need so many */
};

struct numbers_slot {
	uint64_t number;
	uint32_t behind;   /* the index plus 1; 0: the slot is free */
	uint32_t child[2]; /* in the tree: 1 + a slot; 0: none */
};

bool mp_numbers_init(
	struct numbers *numbers, uint32_t count, struct arena *arena)
{
	uint64_t slots = 8;

	while (slots < count + (uint64_t)count / 2)
		slots *= 2;
	assert(slots > count); /* a free slot is found */
	numbers->mask = numbers->last = slots - 1;
	numbers->slots = NEW(arena, struct numbers_slot, slots + 1);
	return numbers->slots != NULL;
}

/* The link to the number, or the empty one where it goes. The root is a child
 * of a slot behind the others. */
static uint32_t *link_of(const struct numbers *numbers, uint64_t number)
{
	uint32_t *link = numbers->slots[numbers->mask + 1].child;

	for (uint64_t bits = number; *link > 0; bits >>= 1) {
		struct numbers_slot *slot = &numbers->slots[*link - 1];

		if (slot->number == number)
			break;
		link = &slot->child[bits & 1];
	}
	return link;
}

static struct numbers_slot *find_in_tree(
	const struct numbers *numbers, uint64_t number)
{
	uint32_t link = *link_of(numbers, number);

	return link > 0 ? &numbers->slots[link - 1] : NULL;
}

static struct numbers_slot *free_in_tree(
	struct numbers *numbers, uint64_t number)
{
	while (numbers->slots[numbers->last].behind > 0)
		numbers->last--;
	*link_of(numbers, number) = (uint32_t)numbers->last + 1;
	return &numbers->slots[numbers->last];
}

/* The number's slot, or the free one where it goes. NULL: it goes into the
 * tree. Those that are hashed go on in steps of their own: they would have a
 * long way to the end of the others. */
static inline struct numbers_slot *slot_of(
	const struct numbers *numbers, uint64_t number)
{
	uint64_t hash = number * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t i = number <= numbers->mask ? number : hash >> 32;

	for (uint32_t looks = 0; looks < MOST_LOOKS; looks++) {
		struct numbers_slot *slot = &numbers->slots[i & numbers->mask];

		if (slot->behind == 0 || slot->number == number)
			return slot;
		i += hash >> 40 | 1;
	}
	return find_in_tree(numbers, number);
}

uint32_t mp_numbers_add(
	struct numbers *numbers, uint64_t number, uint32_t index)
{
	struct numbers_slot *slot = slot_of(numbers, number);

	if (slot && slot->behind > 0)
		return slot->behind - 1;
	if (!slot)
		slot = free_in_tree(numbers, number);
	assert(index != NONE);
	slot->number = number;
	slot->behind = index + 1;
	return NONE;
}

uint32_t mp_numbers_find(const struct numbers *numbers, uint64_t number)
{
	const struct numbers_slot *slot = slot_of(numbers, number);

	return slot ? slot->behind - 1 : NONE;
}
