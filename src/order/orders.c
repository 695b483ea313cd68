/*
 * The table of orders.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/search.h"
#include "order/inside.h"
#include "order/rows.h"

const struct order_row mp_orders[] = {
#define ROW(...) {__VA_ARGS__},
#include "order/orders.def"
#undef ROW
};

const uint32_t mp_n_orders = countof(mp_orders);

const struct order_row *mp_order_find(const char *name)
{
	for (uint32_t i = 0; i < mp_n_orders; i++)
		if (strcmp(mp_orders[i].name, name) == 0)
			return &mp_orders[i];
	return NULL;
}

/* All ops but a longest ascending subsequence. last[k] is the least op that
 * ends an ascending subsequence of k + 1 ops. */
bool mp_order_moved(
	const uint32_t *ops, uint32_t n, uint32_t *moved, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *last = NEW(arena, uint32_t, n);
	uint32_t length = 0, at;

	if (!last)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		at = mp_search_u32(last, length, ops[i]);
		last[at] = ops[i];
		length += at == length;
	}
	assert(length <= n);
	*moved = n - length;
	mp_arena_rewind(arena, mark);
	return true;
}
