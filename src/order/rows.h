/*
 * The run functions of all order rows, and the variants that they take.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_ROWS_H
#define MP_ORDER_ROWS_H

#include "order/order.h"

/* Of mp_order_forward() and mp_order_backward(), or-ed together. */
enum order_variant {
	ORDER_DEPTH = 1 << 0,	  /* depth first, not breadth first */
	ORDER_MEMORY = 1 << 1,	  /* Ascend's memory priority */
	ORDER_DELAY = 1 << 2,	  /* then Ascend's delay pass */
	ORDER_ALL_ROOTS = 1 << 3, /* begin from every op, not from sinks only */
	ORDER_SORT_ROOTS = 1 << 4, /* in the order of the key */
	ORDER_BY_WRITTEN = 1 << 5, /* key: bytes written */
	ORDER_BY_BYTES = 1 << 6,   /* key: bytes read and written */
	ORDER_BY_XLA = 1 << 7,	   /* key: XLA's, see order/rules/backward.c */
};

/* Rules of mp_order_greedy(). */
enum order_greedy {
	ORDER_XLA_LIST,
	ORDER_LPMF,
	ORDER_LAZY,
	ORDER_CLOSING,
};

#define ROW(name, summary, run, ...) order_run run;
#include "order/orders.def"
#undef ROW

/* Applies Ascend's delay pass to an order, in place. */
bool mp_order_delay_ascend(
	const struct graph *graph, uint32_t *order, struct arena *arena);

#endif
