/*
 * Lists by counting sort.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/lists.h"

#include <assert.h>

#include "base/num.h"
#include "base/search.h"

bool mp_lists_copy(
	struct ids *list, const uint32_t *from, uint32_t n, struct arena *arena)
{
	const uint32_t *at = mp_arena_copy(arena, from, n, sizeof(*at));

	if (at)
		*list = (struct ids){at, n};
	return at != NULL;
}

bool mp_lists_contain(struct ids list, uint32_t value)
{
	uint32_t i = mp_search_u32(list.at, list.n, value);

	return i < list.n && list.at[i] == value;
}

/* While links are counted, first[i + 2] is the length of list i; while they are
 * added, first[i + 1] is where its next one goes. So in the end first[i] is
 * where list i begins. */
bool mp_lists_init(struct lists *lists, uint32_t n, struct arena *arena)
{
	lists->first = NEW(arena, uint32_t, (size_t)n + 2);
	return lists->first != NULL;
}

bool mp_lists_ready(struct lists *lists, uint32_t n, struct arena *arena)
{
	assert(lists->first[0] == 0 && lists->first[1] == 0);
	for (uint32_t i = 0; i < n; i++)
		lists->first[i + 2] += lists->first[i + 1];
	lists->links = NEW(arena, uint32_t, lists->first[n + 1]);
	return lists->links != NULL;
}

struct ids mp_lists_unique(struct lists *lists, uint32_t i)
{
	uint32_t *list = lists->links + lists->first[i], kept = 0;
	uint32_t n = lists->first[i + 1] - lists->first[i];

	for (uint32_t k = 0; k < n; k++) {
		assert(k == 0 || list[kept - 1] <= list[k]);
		if (kept == 0 || list[kept - 1] != list[k])
			list[kept++] = list[k];
	}
	return (struct ids){list, kept};
}

bool mp_lists_transpose(const struct lists *from, uint32_t n_from,
	struct lists *to, uint32_t n_to, struct arena *arena)
{
	if (!mp_lists_init(to, n_to, arena))
		return false;
	for (uint32_t i = 0; i < from->first[n_from]; i++) {
		assert(from->links[i] < n_to);
		mp_lists_count(to, from->links[i], 1);
	}
	if (!mp_lists_ready(to, n_to, arena))
		return false;
	for (uint32_t t = 0; t < n_from; t++)
		for (uint32_t i = from->first[t]; i < from->first[t + 1]; i++)
			mp_lists_add(to, from->links[i], t);
	return true;
}

static uint32_t key_of(const uint32_t *keys, size_t size, uint32_t i)
{
	const void *key = (const char *)keys + i * size;

	return *(const uint32_t *)key;
}

bool mp_lists_group(struct lists *lists, uint32_t n_lists, const uint32_t *keys,
	size_t size, uint32_t n, struct arena *arena)
{
	if (!mp_lists_init(lists, n_lists, arena))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t key = key_of(keys, size, i);

		assert(key < n_lists || key == NONE);
		if (key != NONE)
			mp_lists_count(lists, key, 1);
	}
	if (!mp_lists_ready(lists, n_lists, arena))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (key_of(keys, size, i) != NONE)
			mp_lists_add(lists, key_of(keys, size, i), i);
	return true;
}
