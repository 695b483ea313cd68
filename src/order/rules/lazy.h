/*
 * Which ops need not run before another one needs them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_RULES_LAZY_H
#define MP_ORDER_RULES_LAZY_H

#include "order/view.h"

/* Sets lazy[] for ops that free nothing but what lazy ops wrote for them alone:
 * casts of weights, constants, and chains behind them. Sets height[] to the
 * length of the longest chain of ops behind an op. */
bool mp_order_lazy_find(const struct view *view, bool *lazy, uint32_t *height,
	struct arena *arena);

#endif
