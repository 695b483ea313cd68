/*
 * Passes that turn an order into one that is no worse.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_POLISH_H
#define MP_ORDER_POLISH_H

#include "order/view.h"

/* Runs every op that frees more than it writes as soon as it may run, unless
 * that costs more than the cap, which is at least the order's peak. In place.
 * live is scratch. */
bool mp_order_advance(const struct view *view, uint64_t cap, struct live *live,
	uint32_t *order, struct arena *arena);

/* Moves ops late (see order/rules/late.h) and early, keeps what became no
 * worse. *peak is that of the order, before and after. live is scratch. */
bool mp_order_polish(const struct view *view, struct live *live,
	uint32_t *order, uint64_t *peak, struct arena *arena);

/* Brings an order back towards the wanted one by swaps of neighbours that keep
 * every step within the cap, at least the order's peak. In place. At most so
 * many swaps are tried; *tries is what is left of them. live is scratch. */
bool mp_order_stabilise(const struct view *view, const uint32_t *wanted,
	uint64_t cap, uint64_t *tries, struct live *live, uint32_t *order,
	struct arena *arena);

#endif
