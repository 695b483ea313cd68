/*
 * The table of orders, and the peak of an order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/order.h"

#include <string.h>

#include "order/rows.h"
#include "order/rules/late.h"

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
	uint32_t length = 0, low, high, middle;

	if (!last)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		low = 0;
		for (high = length; low < high;) {
			middle = low + (high - low) / 2;
			if (last[middle] < ops[i])
				low = middle + 1;
			else
				high = middle;
		}
		last[low] = ops[i];
		length += low == length;
	}
	*moved = n - length;
	mp_arena_rewind(arena, mark);
	return true;
}
