/*
 * The table of orders, and the peak of an order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/order.h"

#include <string.h>

#include "order/rows.h"

const struct order_row mp_orders[] = {
	{"keep", "the order of the input, made legal where it is not",
		mp_order_keep, 0},
	{"bfs", "Ascend: breadth first (its default in training)",
		mp_order_forward, 0},
	{"bfs-delay", "bfs, then ops on constants moved to their consumers",
		mp_order_forward, ORDER_DELAY},
	{"bfs-memory", "bfs, fewest consumers and smallest outputs first",
		mp_order_forward, ORDER_MEMORY},
	{"bfs-memory-delay", "bfs-memory, then the delay pass",
		mp_order_forward, ORDER_MEMORY | ORDER_DELAY},
	{"dfs", "Ascend: depth first (its default in inference)",
		mp_order_forward, ORDER_DEPTH},
	{"dfs-delay", "dfs, then the delay pass", mp_order_forward,
		ORDER_DEPTH | ORDER_DELAY},
	{"dfs-memory", "dfs, fewest consumers and smallest outputs first",
		mp_order_forward, ORDER_DEPTH | ORDER_MEMORY},
	{"dfs-memory-delay", "dfs-memory, then the delay pass",
		mp_order_forward, ORDER_DEPTH | ORDER_MEMORY | ORDER_DELAY},
	{"rdfs", "Ascend: back from the results, smallest outputs first",
		mp_order_backward, ORDER_BY_WRITTEN},
	{"rdfs-delay", "rdfs, then the delay pass", mp_order_backward,
		ORDER_BY_WRITTEN | ORDER_DELAY},
	{"stable-rdfs", "Ascend: back from every op as the input lists them",
		mp_order_backward, ORDER_ALL_ROOTS},
	{"xla-post-order", "XLA: back from the results as listed",
		mp_order_backward, 0},
	{"xla-dfs", "XLA: back from the results, heaviest ancestry first",
		mp_order_backward, ORDER_BY_XLA | ORDER_SORT_ROOTS},
	{"inductor-dfs", "PyTorch: back from every op, fewest bytes first",
		mp_order_backward,
		ORDER_BY_BYTES | ORDER_SORT_ROOTS | ORDER_ALL_ROOTS},
	{"search", "least peak: bounds, cut refinement, exact windows",
		mp_order_search, 0},
};

const uint32_t mp_n_orders = countof(mp_orders);

const struct order_row *mp_order_find(const char *name)
{
	for (uint32_t i = 0; i < mp_n_orders; i++)
		if (strcmp(mp_orders[i].name, name) == 0)
			return &mp_orders[i];
	return NULL;
}
