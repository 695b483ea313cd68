/*
 * A hash table with open addressing, and the Levenshtein distance.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/names.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"

enum {
	WORD = 64 /* longest name that suggestions compare */
};

struct names_slot {
	const char *name;
	size_t length;
	uint32_t hash, index;
};

/* As FNV-1a, but 8 bytes at a time; mixed after each, so that the low bits
 * depend on all of the name. The rest of 4 to 7 bytes is two words of 4 that
 * overlap. */
static inline uint32_t hash_of(const char *text, size_t n)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ n, word = 0;
	uint32_t low, high;

	for (; n >= sizeof(word); text += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	word = 0;
	if (n >= sizeof(low)) {
		memcpy(&low, text, sizeof(low));
		memcpy(&high, text + n - sizeof(high), sizeof(high));
		word = low | (uint64_t)high << 32;
	} else if (n > 0) {
		word = (uint64_t)(unsigned char)text[0] << 16 |
		       (uint64_t)(unsigned char)text[n / 2] << 8 |
		       (unsigned char)text[n - 1];
	}
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash >> 32 ^ hash);
}

bool mp_names_init(struct names *names, uint32_t count, struct arena *arena)
{
	uint64_t slots = 8;

	while (slots < count + (uint64_t)count / 2)
		slots *= 2;
	assert(slots > count); /* a search ends at an empty slot */
	names->mask = (uint32_t)(slots - 1);
	names->slots = NEW(arena, struct names_slot, slots);
	return names->slots != NULL;
}

static struct names_slot *slot_of(
	const struct names *names, const char *text, size_t n, uint32_t hash)
{
	uint32_t i = hash & names->mask;
	struct names_slot *slot = &names->slots[i];

	while (slot->name && (slot->hash != hash || slot->length != n ||
				     memcmp(slot->name, text, n) != 0)) {
		i = (i + 1) & names->mask;
		slot = &names->slots[i];
	}
	return slot;
}

uint32_t mp_names_add(struct names *names, const char *name, uint32_t index)
{
	size_t n = strlen(name);
	uint32_t hash = hash_of(name, n);
	struct names_slot *slot = slot_of(names, name, n, hash);

	if (slot->name)
		return slot->index;
	assert(index != NONE);
	*slot = (struct names_slot){name, n, hash, index};
	return NONE;
}

uint32_t mp_names_find_text(
	const struct names *names, const char *text, size_t n)
{
	const struct names_slot *slot =
		slot_of(names, text, n, hash_of(text, n));

	return slot->name ? slot->index : NONE;
}

uint32_t mp_names_find(const struct names *names, const char *name)
{
	return mp_names_find_text(names, name, strlen(name));
}

const char *mp_names_intern(struct names *names, const char *text, size_t n,
	uint32_t *index, struct arena *arena)
{
	uint32_t hash = hash_of(text, n);
	struct names_slot *slot = slot_of(names, text, n, hash);
	const char *copy;

	if (!slot->name) {
		copy = mp_arena_text(arena, text, n);
		assert(*index != NONE);
		*slot = (struct names_slot){copy, n, hash, *index};
	}
	*index = slot->index;
	return slot->name;
}

/* Computes one row of the Levenshtein table after another. */
uint32_t mp_names_distance(const char *a, const char *b, uint32_t limit)
{
	uint32_t row[WORD + 1], n = (uint32_t)strlen(b), left, above;

	if (strlen(a) > WORD || n > WORD)
		return limit + 1;
	for (uint32_t j = 0; j <= n; j++)
		row[j] = j;
	for (uint32_t i = 0; a[i]; i++) {
		left = row[0]++;
		for (uint32_t j = 1; j <= n; j++) {
			above = row[j];
			row[j] = left + (a[i] != b[j - 1]);
			row[j] = row[j] < above + 1 ? row[j] : above + 1;
			row[j] = row[j] < row[j - 1] + 1 ? row[j]
							 : row[j - 1] + 1;
			left = above;
		}
	}
	return row[n] <= limit ? row[n] : limit + 1;
}

bool mp_names_is_nearer(const char *name, const char *wanted, uint32_t *best)
{
	uint32_t distance = mp_names_distance(name, wanted, *best);

	if (distance >= *best)
		return false;
	*best = distance;
	return true;
}
