/*
 * A map from names to indices, and the nearest name to a misspelt one. Lookup
 * is by hash, insertion order never matters, so results are the same
 * everywhere.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_NAMES_H
#define MP_BASE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* FNV-1a of 64 bits (Fowler, Noll, Vo). */
static inline uint64_t mp_names_hash(const char *text, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) *
		       UINT64_C(0x100000001b3);
	return hash;
}

struct names {
	struct names_slot *slots;
	uint32_t mask; /* number of slots less one; a power of two of them */
	uint32_t last; /* slots behind this one are taken */
};

/* Room for count names. The texts are not copied and must outlive the map. */
bool mp_names_init(struct names *names, uint32_t count, struct arena *arena);

/* Adds a name; returns the index that it had already, or NONE when it is new.
 */
uint32_t mp_names_add(struct names *names, const char *name, uint32_t index);

/* The index of a name, or NONE. */
uint32_t mp_names_find(const struct names *names, const char *name);

/* The index of a name of n bytes that need no NUL behind them, or NONE. */
uint32_t mp_names_find_text(
	const struct names *names, const char *text, size_t n);

/* The name of those n bytes as the map has it. If it has none, a copy is added
 * with *index. *index becomes the name's. NULL: memory is out. */
const char *mp_names_intern(struct names *names, const char *text, size_t n,
	uint32_t *index, struct arena *arena);

/* The edit distance of two names, or limit + 1 if it is greater: for "did you
 * mean". */
uint32_t mp_names_distance(const char *a, const char *b, uint32_t limit);

/* Is the name nearer to the wanted one than the best so far, a distance that
 * becomes its own? */
bool mp_names_is_nearer(const char *name, const char *wanted, uint32_t *best);

#endif
