/*
 * A set of keys of some words each, the first of which is a hash of the others.
 * Keys are compared whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_KEYS_H
#define MP_BASE_KEYS_H

#include "base/arena.h"
#include "base/num.h"

struct keys {
	struct arena *arena;
	uint64_t *at;	 /* n keys, and room for one more */
	uint32_t *slots; /* open addressing: 1 + a key; 0: empty */
	uint32_t n, room, n_slots, words;
	uint64_t crowd; /* looks at slots beyond the first ones of a key */
};

/* False: memory is out. */
bool mp_keys_init(struct keys *keys, uint32_t words, struct arena *arena);

/* Where to write a key that mp_keys_add() adds, or mp_keys_has() looks for.
 * NULL: memory is out. */
uint64_t *mp_keys_next(struct keys *keys);

/* Adds the key that was written there. False: it is in the set already. */
bool mp_keys_add(struct keys *keys);

/* The key that was written there, as the n-th that was added; NONE: it is not
 * in the set. */
uint32_t mp_keys_find(struct keys *keys);

/* Is the key that was written there in the set? */
static inline bool mp_keys_has(struct keys *keys)
{
	return mp_keys_find(keys) != NONE;
}

/* Takes all keys out. */
void mp_keys_clear(struct keys *keys);

/* Do so many keys share a place that looking for them would take quadratic
 * time? Only keys that are chosen for it do. */
bool mp_keys_is_crowded(const struct keys *keys);

#endif
