/*
 * A hash table with open addressing, in which small numbers are not hashed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/numbers.h"

#include <assert.h>

#include "base/num.h"

struct numbers_slot {
	uint64_t number;
	uint32_t behind; /* the index plus 1; 0: the slot is empty */
};

bool mp_numbers_init(
	struct numbers *numbers, uint32_t count, struct arena *arena)
{
	uint64_t slots = 8;

	while (slots < count + (uint64_t)count / 2)
		slots *= 2;
	assert(slots > count); /* a search ends at an empty slot */
	numbers->mask = slots - 1;
	numbers->slots = NEW(arena, struct numbers_slot, slots);
	return numbers->slots != NULL;
}

/* Those that are hashed go on in steps of their own: they would have a long way
 * to the end of the others. */
static struct numbers_slot *slot_of(
	const struct numbers *numbers, uint64_t number)
{
	uint64_t hash = number * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t i = number <= numbers->mask ? number : hash >> 32;
	struct numbers_slot *slot = &numbers->slots[i & numbers->mask];

	while (slot->behind > 0 && slot->number != number) {
		i += hash >> 40 | 1;
		slot = &numbers->slots[i & numbers->mask];
	}
	return slot;
}

uint32_t mp_numbers_add(
	struct numbers *numbers, uint64_t number, uint32_t index)
{
	struct numbers_slot *slot = slot_of(numbers, number);

	if (slot->behind > 0)
		return slot->behind - 1;
	assert(index != NONE);
	*slot = (struct numbers_slot){number, index + 1};
	return NONE;
}

uint32_t mp_numbers_find(const struct numbers *numbers, uint64_t number)
{
	return slot_of(numbers, number)->behind - 1;
}
