/*
 * Late: moves ops to just before their first consumer. Lazy ops: ops that can
 * wait until right before their first consumer, since running them earlier
 * frees no memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_RULES_INSIDE_H
#define MP_ORDER_RULES_INSIDE_H

#include "order/view.h"

/* ------------------------------------------------------------- late */

/* Outputs of a late op are not alive before they are needed; its inputs are
 * alive that long anyway. */
enum late_rule {
	/* An op moves if it reads no tensor that can be freed: variables,
	 * constants, data that is not reused. */
	LATE_FIXED,
	/* An op moves if a tensor that it reads lives beyond its first
	 * consumer. */
	LATE_DYNAMIC,
	/* An op moves if all tensors that it reads live to its first consumer,
	 * and its unused outputs fit under what that consumer writes: the peak
	 * never rises. */
	LATE_SAFE,
};

/* Applies the rule to every op, last to first, in place. */
bool mp_order_late_move(const struct view *view, enum late_rule rule,
	uint32_t *order, struct arena *arena);

/* ------------------------------------------------------------- lazy */

/* Sets lazy[] for ops with no input, or with one input that is the output of a
 * lazy op and that no other op reads: casts of weights, constants, and chains
 * of such ops. Sets height[] to the length of the longest chain of ops behind
 * an op. */
bool mp_order_lazy_find(const struct view *view, bool *lazy, uint32_t *height,
	struct arena *arena);

#endif
