/*
 * A search of all orders that are below a bound, to confirm it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_EVERY_ORDER_H
#define MP_ORDER_SEARCH_EVERY_ORDER_H

#include "graph/graph.h"

enum replay_outcome {
	REPLAY_REFUTED, /* every order has a step of the claimed bytes */
	REPLAY_FOUND,	/* an order has none, as far as in-place pairs save the
			   most that they can */
	REPLAY_GAVE_UP,
};

/* Searches for an order below the claimed bytes, without the code of the
 * search. False: memory is out. */
bool mp_order_replay(const struct graph *graph, const struct order_bound *claim,
	enum replay_outcome *outcome, struct arena *arena);

#endif
