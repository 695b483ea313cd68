/*
 * The run functions of all order rows.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_ROWS_H
#define MP_ORDER_ROWS_H

#include "order/order.h"

bool mp_order_keep(struct order_job *job, int variant);

#endif
