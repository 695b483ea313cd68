/*
 * Lazy ops: ops that can wait until right before their first consumer, since
 * running them earlier frees no memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_RULES_LAZY_H
#define MP_ORDER_RULES_LAZY_H

#include "order/view.h"

/* Sets lazy[] for ops whose only input, if any, is the output of a lazy op that
 * no other op reads: casts of weights, constants, and chains of such ops. Sets
 * height[] to the length of the longest chain of ops behind an op. */
bool mp_order_lazy_find(const struct view *view, bool *lazy, uint32_t *height,
	struct arena *arena);

#endif
