/* SPDX-License-Identifier: MIT */
#include "base/lists.h"

bool mp_lists_contain(struct ids list, uint32_t value)
{
	uint32_t low = 0, high = list.n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (list.at[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list.n && list.at[low] == value;
}

/* Starts stand two places on while they are counted and one while links are
 * added, so that they end up where they serve. */
bool mp_lists_init(struct lists *lists, uint32_t n, struct arena *arena)
{
	lists->first = NEW(arena, uint32_t, (size_t)n + 2);
	return lists->first != NULL;
}

void mp_lists_count(struct lists *lists, uint32_t i, uint32_t more)
{
	lists->first[i + 2] += more;
}

bool mp_lists_ready(struct lists *lists, uint32_t n, struct arena *arena)
{
	for (uint32_t i = 0; i < n; i++)
		lists->first[i + 2] += lists->first[i + 1];
	lists->links = NEW(arena, uint32_t, lists->first[n + 1]);
	return lists->links != NULL;
}

void mp_lists_add(struct lists *lists, uint32_t i, uint32_t link)
{
	lists->links[lists->first[i + 1]++] = link;
}

bool mp_lists_transpose(const struct lists *from, uint32_t n_from,
	struct lists *to, uint32_t n_to, struct arena *arena)
{
	if (!mp_lists_init(to, n_to, arena))
		return false;
	for (uint32_t i = 0; i < from->first[n_from]; i++)
		mp_lists_count(to, from->links[i], 1);
	if (!mp_lists_ready(to, n_to, arena))
		return false;
	for (uint32_t t = 0; t < n_from; t++)
		for (uint32_t i = from->first[t]; i < from->first[t + 1]; i++)
			mp_lists_add(to, from->links[i], t);
	return true;
}
