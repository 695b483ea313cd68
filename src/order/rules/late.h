/*
 * Ops moved down to their first consumer. What they write is then not alive
 * before it is needed, and what they read is alive that long anyway.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_RULES_LATE_H
#define MP_ORDER_RULES_LATE_H

#include "order/view.h"

enum late_rule {
	/* An op moves if nothing that it reads can be freed: variables,
	 * constants, data that is not reused. */
	LATE_FIXED,
	/* An op moves if something that it reads lives beyond its first
	 * consumer. */
	LATE_DYNAMIC,
	/* An op moves if all that it reads lives to its first consumer and its
	 * own dead outputs do not count there: the peak never rises. */
	LATE_SAFE,
};

/* Applies the rule to every op, last to first, in place. */
bool mp_order_late_move(const struct view *view, enum late_rule rule,
	uint32_t *order, struct arena *arena);

#endif
