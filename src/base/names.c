/*
 * A hash table with open addressing, and the Levenshtein distance.
 *
 * Names can be chosen to have one hash. A name that finds MOST_LOOKS slots
 * taken goes into a binary tree in slots that are free: a node's children
 * differ in one bit of another hash, and further down in one of the name. So no
 * choice of names takes quadratic time. Nothing is ever removed: slots that
 * were taken when a name came still are when it is looked for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/names.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"

enum {
	MOST_LOOKS = 128, /* at slots in a row; with 2 of 3 taken at random, one
			     name in 10,000 finds so many taken */
	TREE_BITS = 16,	  /* of another hash, before those of the name */
	WORD = 64	  /* longest name that suggestions compare */
};

struct names_slot {
	const char *name; /* NULL: the slot is free */
	uint32_t length, index;
	union {
		uint32_t hash;
		uint32_t child[2]; /* in the tree: 1 + a slot; 0: none */
	};
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
		hash ^= hash >> 29;
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
	hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash >> 32);
}

bool mp_names_init(struct names *names, uint32_t count, struct arena *arena)
{
	uint64_t slots = 8;

	while (slots < count + (uint64_t)count / 2)
		slots *= 2;
	assert(slots > count); /* a free slot is found */
	names->mask = names->last = (uint32_t)(slots - 1);
	names->slots = NEW(arena, struct names_slot, slots + 1);
	return names->slots != NULL;
}

static bool is_named(const struct names_slot *slot, const char *text, size_t n)
{
	return slot->length == n && memcmp(slot->name, text, n) == 0;
}

/* ------------------------------------------------------------- tree */

static uint32_t bit_of(const char *text, size_t n, uint64_t hash, size_t depth)
{
	size_t bit = depth - TREE_BITS;

	if (depth < TREE_BITS)
		return hash >> (63 - depth) & 1;
	return bit / 8 < n ? (unsigned char)text[bit / 8] >> bit % 8 & 1 : 0;
}

/* The link to the name, or the empty one where it goes. The root is a child of
 * a slot behind the others. */
static uint32_t *link_of(const struct names *names, const char *text, size_t n)
{
	uint32_t *link = names->slots[(size_t)names->mask + 1].child;
	uint64_t hash = mp_names_hash(text, n);

	for (size_t depth = 0; *link > 0; depth++) {
		struct names_slot *slot = &names->slots[*link - 1];

		if (is_named(slot, text, n))
			break;
		link = &slot->child[bit_of(text, n, hash, depth)];
	}
	return link;
}

static struct names_slot *find_in_tree(
	const struct names *names, const char *text, size_t n)
{
	uint32_t link = *link_of(names, text, n);

	return link > 0 ? &names->slots[link - 1] : NULL;
}

static struct names_slot *free_in_tree(
	struct names *names, const char *name, size_t n)
{
	while (names->slots[names->last].name)
		names->last--;
	*link_of(names, name, n) = names->last + 1;
	return &names->slots[names->last];
}

/* ------------------------------------------------------------ table */

/* The name's slot, or the free one where it goes. NULL: it goes into the tree.
 * The hash of a slot in the tree says nothing, but there too a name is only
 * found where it is. */
static inline struct names_slot *slot_of(
	const struct names *names, const char *text, size_t n, uint32_t hash)
{
	for (uint32_t i = hash, end = hash + MOST_LOOKS; i != end; i++) {
		struct names_slot *slot = &names->slots[i & names->mask];

		if (!slot->name ||
			(slot->hash == hash && is_named(slot, text, n)))
			return slot;
	}
	return find_in_tree(names, text, n);
}

static void add(struct names *names, struct names_slot *slot, const char *name,
	size_t n, uint32_t hash, uint32_t index)
{
	assert(index != NONE && n <= UINT32_MAX);
	if (slot)
		slot->hash = hash;
	else
		slot = free_in_tree(names, name, n);
	slot->name = name;
	slot->length = (uint32_t)n;
	slot->index = index;
}

uint32_t mp_names_add(struct names *names, const char *name, uint32_t index)
{
	size_t n = strlen(name);
	uint32_t hash = hash_of(name, n);
	struct names_slot *slot = slot_of(names, name, n, hash);

	if (slot && slot->name)
		return slot->index;
	add(names, slot, name, n, hash, index);
	return NONE;
}

uint32_t mp_names_find_text(
	const struct names *names, const char *text, size_t n)
{
	const struct names_slot *slot =
		slot_of(names, text, n, hash_of(text, n));

	return slot && slot->name ? slot->index : NONE;
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

	if (slot && slot->name) {
		*index = slot->index;
		return slot->name;
	}
	copy = mp_arena_text(arena, text, n);
	if (copy)
		add(names, slot, copy, n, hash, *index);
	return copy;
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
