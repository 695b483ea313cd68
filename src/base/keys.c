/*
 * Keys in a row, and a table of slots that is at most half full.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/keys.h"

#include <assert.h>
#include <string.h>

enum {
	FIRST_KEYS = 1 << 8,
	FREE_LOOKS = 1 << 8, /* for a key; at random, none takes so many */
	MOST_CROWD = 1 << 20,
};

static uint64_t *key_at(const struct keys *keys, uint32_t i)
{
	return keys->at + (size_t)i * keys->words;
}

/* The slot of a key, or the empty one where it goes. */
static uint32_t find_slot(struct keys *keys, const uint64_t *key)
{
	size_t length = sizeof(*key) * keys->words;
	uint32_t slot = (uint32_t)key[0] & (keys->n_slots - 1), looks = 0;

	while (keys->slots[slot] > 0 &&
		memcmp(key_at(keys, keys->slots[slot] - 1), key, length) != 0) {
		slot = (slot + 1) & (keys->n_slots - 1);
		keys->crowd += looks++ >= FREE_LOOKS;
	}
	return slot;
}

bool mp_keys_init(struct keys *keys, uint32_t words, struct arena *arena)
{
	assert(words > 1);
	*keys = (struct keys){.arena = arena,
		.words = words,
		.room = FIRST_KEYS,
		.n_slots = 2 * FIRST_KEYS,
		.at = NEW(arena, uint64_t, (size_t)FIRST_KEYS * words),
		.slots = NEW(arena, uint32_t, 2 * FIRST_KEYS)};
	return keys->at && keys->slots;
}

static bool grow(struct keys *keys)
{
	size_t length = (size_t)keys->room * keys->words;
	uint64_t *at = NEW(keys->arena, uint64_t, 2 * length);

	keys->n_slots *= 2;
	keys->slots = NEW(keys->arena, uint32_t, keys->n_slots);
	if (!at || !keys->slots)
		return false;
	memcpy(at, keys->at, length * sizeof(*at));
	keys->at = at;
	keys->room *= 2;
	for (uint32_t i = 0; i < keys->n; i++)
		keys->slots[find_slot(keys, key_at(keys, i))] = i + 1;
	return true;
}

uint64_t *mp_keys_next(struct keys *keys)
{
	assert(keys->n <= keys->room);
	if (keys->n == keys->room && !grow(keys))
		return NULL;
	return key_at(keys, keys->n);
}

bool mp_keys_add(struct keys *keys)
{
	uint32_t slot;

	assert(keys->n < keys->room && 2 * keys->n < keys->n_slots);
	slot = find_slot(keys, key_at(keys, keys->n));
	if (keys->slots[slot] > 0)
		return false;
	keys->slots[slot] = ++keys->n;
	return true;
}

uint32_t mp_keys_find(struct keys *keys)
{
	/* Of an empty slot, 0 - 1. */
	return keys->slots[find_slot(keys, key_at(keys, keys->n))] - 1;
}

void mp_keys_clear(struct keys *keys)
{
	memset(keys->slots, 0, sizeof(*keys->slots) * keys->n_slots);
	keys->n = 0;
}

bool mp_keys_is_crowded(const struct keys *keys)
{
	return keys->crowd > MOST_CROWD;
}
