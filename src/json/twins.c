/*
 * Few keys are compared pair by pair, many with a hash table. Keys that fill
 * the table badly are sorted instead, so no choice of keys takes quadratic
 * time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "json/twins.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/num.h"
#include "base/sort.h"
#include "json/strings.h"

enum {
	FEW_KEYS = 16,	   /* most keys that are compared pair by pair */
	LOOKS_PER_KEY = 8, /* collisions a key before all keys are sorted */
};

struct key {
	uint64_t hash;
	const char *text; /* without escapes */
	size_t length;
	const char *at; /* its opening quote */
};

/* -------------------------------------------------------------- few */

static const char *find_twin_of_few(const struct json_node *member, uint32_t n)
{
	const char *keys[FEW_KEYS];

	for (uint32_t i = 0; i < n; i++, member += member->next) {
		keys[i] = mp_json_node_key(member);
		for (uint32_t k = 0; k < i; k++)
			if (mp_json_same(keys[i], keys[k]))
				return keys[i];
	}
	return NULL;
}

/* ------------------------------------------------------------- many */

static bool read_key(const char *at, struct key *key, struct arena *arena)
{
	const char *end = mp_json_string_end(at);

	key->at = at;
	key->text = at + 1;
	key->length = (size_t)(end - at) - 1;
	if (memchr(key->text, '\\', key->length))
		key->text = mp_json_string_copy(at, &key->length, arena);
	if (!key->text)
		return false;
	key->hash = mp_names_hash(key->text, key->length);
	return true;
}

static int compare_keys(const void *left, const void *right)
{
	const struct key *a = left, *b = right;
	int order;

	order = mp_sort_compare_two(a->hash, b->hash, a->length, b->length);
	if (order == 0)
		order = memcmp(a->text, b->text, a->length);
	return order != 0 ? order
			  : mp_sort_compare((uintptr_t)a->at, (uintptr_t)b->at);
}

static bool same_key(const struct key *a, const struct key *b)
{
	return a->hash == b->hash && a->length == b->length &&
	       memcmp(a->text, b->text, a->length) == 0;
}

/* Inserts the hashes into a table of mask + 1 slots. False, and the keys need
 * to be sorted, if two hashes are equal or there are too many collisions. */
static bool all_differ(
	const struct key *keys, uint32_t n, uint64_t *table, uint64_t mask)
{
	uint64_t looks = 0;

	assert(num_is_pow2(mask + 1) && mask > n);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t hash = keys[i].hash | 1;
		uint64_t at = (hash ^ hash >> 32) & mask;

		for (; table[at]; at = (at + 1) & mask)
			if (table[at] == hash || looks++ > LOOKS_PER_KEY * n)
				return false;
		table[at] = hash;
	}
	return true;
}

static const struct key *find_in_sorted(struct key *keys, uint32_t n)
{
	const struct key *twin = NULL;

	qsort(keys, n, sizeof(*keys), compare_keys);
	for (uint32_t i = 1; i < n; i++)
		if (same_key(&keys[i], &keys[i - 1]) &&
			(!twin || keys[i].at < twin->at))
			twin = &keys[i];
	return twin;
}

static bool find_twin_of_many(const struct json_node *member, uint32_t n,
	struct arena *arena, const char **twin)
{
	uint64_t *table, slots = FEW_KEYS;
	const struct key *found = NULL;
	struct key *keys;

	while (slots < UINT64_C(2) * n)
		slots *= 2;
	keys = NEW(arena, struct key, n);
	table = NEW(arena, uint64_t, slots);
	if (!keys || !table)
		return false;
	for (uint32_t i = 0; i < n; i++, member += member->next)
		if (!read_key(mp_json_node_key(member), &keys[i], arena))
			return false;
	if (!all_differ(keys, n, table, slots - 1))
		found = find_in_sorted(keys, n);
	*twin = found ? found->at : NULL;
	return true;
}

bool mp_json_twin(const struct json_node *first, uint32_t n,
	struct arena *arena, const char **twin)
{
	struct arena_mark mark = mp_arena_mark(arena);
	bool fine = true;

	if (n <= FEW_KEYS)
		*twin = find_twin_of_few(first, n);
	else
		fine = find_twin_of_many(first, n, arena, twin);
	mp_arena_rewind(arena, mark);
	return fine;
}
