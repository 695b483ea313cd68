/*
 * The table of orders.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/search.h"
#include "order/order.h"

#include <assert.h>
#include <string.h>

#include "order/rows.h"
#include "order/rules/inside.h"

const struct order_row mp_orders[] = {
	{"keep", "the order of the input, made legal where it is not",
		mp_order_keep, 0, true},
	{"auto",
		"the best of all rows, as near to the input as its peak allows",
		mp_order_auto, 0, false},
	{"portfolio", "all cheap rows below, polished; never worse than keep",
		mp_order_portfolio, 0, false},
	{"search", "least peak: bounds, cut refinement, exact windows",
		mp_order_search, 0, false},
	{"bfs", "Ascend: breadth first (its default in training)",
		mp_order_forward, 0, true},
	{"bfs-delay", "bfs, then ops on constants moved to their consumers",
		mp_order_forward, ORDER_DELAY, false},
	{"bfs-memory", "bfs, fewest consumers and smallest outputs first",
		mp_order_forward, ORDER_MEMORY, true},
	{"bfs-memory-delay", "bfs-memory, then the delay pass",
		mp_order_forward, ORDER_MEMORY | ORDER_DELAY, false},
	{"dfs", "Ascend: depth first (its default in inference)",
		mp_order_forward, ORDER_DEPTH, true},
	{"dfs-delay", "dfs, then the delay pass", mp_order_forward,
		ORDER_DEPTH | ORDER_DELAY, false},
	{"dfs-memory", "dfs, fewest consumers and smallest outputs first",
		mp_order_forward, ORDER_DEPTH | ORDER_MEMORY, true},
	{"dfs-memory-delay", "dfs-memory, then the delay pass",
		mp_order_forward, ORDER_DEPTH | ORDER_MEMORY | ORDER_DELAY,
		false},
	{"rdfs", "Ascend: back from the results, smallest outputs first",
		mp_order_backward, ORDER_BY_WRITTEN, true},
	{"rdfs-delay", "rdfs, then the delay pass", mp_order_backward,
		ORDER_BY_WRITTEN | ORDER_DELAY, false},
	{"stable-rdfs", "Ascend: back from every op as the input lists them",
		mp_order_backward, ORDER_ALL_ROOTS, false},
	{"fixed", "Ascend: ops that free nothing move to their consumers",
		mp_order_late, LATE_FIXED, false},
	{"dynamic", "Ascend: so do ops whose inputs outlive their consumers",
		mp_order_late, LATE_DYNAMIC, false},
	{"xla-post-order", "XLA: back from the results as listed",
		mp_order_backward, 0, true},
	{"xla-dfs", "XLA: back from the results, heaviest ancestry first",
		mp_order_backward, ORDER_BY_XLA | ORDER_SORT_ROOTS, true},
	{"xla-list", "XLA: of the ready ops the one that frees most",
		mp_order_greedy, ORDER_XLA_LIST, true},
	{"inductor-bfs", "PyTorch: whose predecessors ran earliest",
		mp_order_inductor_bfs, 0, true},
	{"inductor-dfs", "PyTorch: back from every op, fewest bytes first",
		mp_order_backward,
		ORDER_BY_BYTES | ORDER_SORT_ROOTS | ORDER_ALL_ROOTS, true},
	{"inductor-lpmf", "PyTorch: what raises the peak least",
		mp_order_greedy, ORDER_LPMF, true},
	{"lpmf-lazy", "inductor-lpmf, constants made where they are needed",
		mp_order_greedy, ORDER_LAZY, true},
	{"lpmf-closing", "lpmf-lazy, what was begun is finished first",
		mp_order_greedy, ORDER_CLOSING, true},
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
