/*
 * The orders of equal peak that a row hands over.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_ALTERNATIVES_H
#define MP_ORDER_ALTERNATIVES_H

#include "order/order.h"

/* Room for all of them, none taken yet. */
bool mp_order_alternatives_init(struct order_job *job);

/* Takes an order among the choices if it is as good as they are and differs
 * from them; drops them for it if it is better. */
void mp_order_alternatives_offer(struct order_job *job, const uint32_t *order,
	uint64_t peak, const char *name);

#endif
