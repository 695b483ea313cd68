/*
 * The table of orders, and the peak of an order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/order.h"

#include <string.h>

#include "order/rows.h"

const struct order_row mp_orders[] = {
	{"keep", "the order of the input, made legal where it is not",
		mp_order_keep, 0},
};

const uint32_t mp_n_orders = countof(mp_orders);

const struct order_row *mp_order_find(const char *name)
{
	for (uint32_t i = 0; i < mp_n_orders; i++)
		if (strcmp(mp_orders[i].name, name) == 0)
			return &mp_orders[i];
	return NULL;
}
