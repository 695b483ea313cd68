/*
 * Exact search in a window of the best order: is there an order of the ops in
 * it, those before and behind left where they are, in which no step of it costs
 * more than a threshold? Depth first over the sets of ops that have run, each
 * visited once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_EXACT_H
#define MP_ORDER_SEARCH_EXACT_H

#include "order/search/inside.h"

enum exact_outcome {
	EXACT_FOUND,   /* s->trial is such an order */
	EXACT_REFUTED, /* there is none */
	EXACT_GAVE_UP, /* the nodes are spent */
	EXACT_FAILED,  /* memory is out */
};

/* Searches steps [from, to) of s->order. After EXACT_REFUTED, next is the least
 * threshold that could do: the smallest cost that was refused. */
enum exact_outcome mp_order_exact_window(struct search *s, uint32_t from,
	uint32_t to, uint64_t threshold, uint64_t nodes, uint64_t *next);

#endif
