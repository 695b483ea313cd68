/*
 * Pools of a graph, as several readers make them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/rows.h"

bool mp_input_pools_set(struct graph *graph, const struct memory_pool *pools,
	uint32_t n, struct arena *arena)
{
	struct pool_list *lists = NEW(arena, struct pool_list, (size_t)n + 1);
	uint32_t *each = NEW(arena, uint32_t, n);

	if (!lists || !each)
		return false;
	lists[0] = (struct pool_list){each, n};
	for (uint32_t i = 0; i < n; i++) {
		each[i] = i;
		lists[i + 1] = (struct pool_list){&each[i], 1};
	}
	graph->pools = pools;
	graph->n_pools = n;
	graph->pool_lists = lists;
	return true;
}

bool mp_input_banks(const struct json_at *at, const struct json_key keys[2],
	struct banks *banks)
{
	struct json_at found[2];

	if (!mp_json_pick(at, keys, 2, found) ||
		!mp_json_integer(&found[0], &banks->size) ||
		!mp_json_index(&found[1], UINT32_MAX - 1, &banks->count))
		return false;
	if (banks->size == 0)
		return mp_json_fail(&found[0], "a bank of 0 bytes");
	return banks->count > 0 ||
	       mp_json_fail(&found[1], "a pool has at least one bank");
}
