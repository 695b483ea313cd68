/*
 * Alternatives: the orders of equal peak that a row returns.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_ALTERNATIVES_H
#define MP_ORDER_ALTERNATIVES_H

#include "order/order.h"

/* Allocates the alternatives; there are none yet. */
bool mp_order_alternatives_init(struct order_job *job);

/* Adds an order if its peak equals that of the alternatives and it differs from
 * them; replaces them if its peak is lower. */
void mp_order_alternatives_offer(struct order_job *job, const uint32_t *order,
	uint64_t peak, const char *name);

#endif
