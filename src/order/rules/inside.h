/*
 * Late: moves ops to just before their first consumer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_RULES_INSIDE_H
#define MP_ORDER_RULES_INSIDE_H

#include "order/view.h"

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

#endif
