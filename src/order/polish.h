/*
 * Polishing: passes that change an order and never raise its peak.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_POLISH_H
#define MP_ORDER_POLISH_H

#include "order/view.h"

/* Moves every op that frees more than it writes as far forward as its
 * dependences allow, unless its cost there exceeds the cap, which is at least
 * the order's peak. In place. live is scratch. */
bool mp_order_advance(const struct view *view, uint64_t cap, struct live *live,
	uint32_t *order, struct arena *arena);

/* Moves ops late (see order/rules/late.h) and early, and keeps the result if
 * its peak is lower. *peak is the peak of the order, before and after. live is
 * scratch. */
bool mp_order_polish(const struct view *view, struct live *live,
	uint32_t *order, uint64_t *peak, struct arena *arena);

/* Moves an order towards the wanted one by swaps of neighbours. No step may
 * cost more than the cap, which is at least the order's peak. In place. *tries
 * is how many swaps may be tried, and is counted down. live is scratch. */
bool mp_order_stabilise(const struct view *view, const uint32_t *wanted,
	uint64_t cap, uint64_t *tries, struct live *live, uint32_t *order,
	struct arena *arena);

#endif
