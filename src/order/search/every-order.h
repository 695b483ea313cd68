/*
 * A search of all orders that are below a bound, to confirm it: in a way that
 * is easy to believe, and that can be told.
 *
 * A set is the ops that have run. Sets from which no order below the bound can
 * go on are listed: the empty one is the first. Of each listed set that does
 * not have all ops, either the set with one more op is listed, which is ready,
 * within the bound, and after which no more bytes are alive than before; or
 * that of every op that is ready and within the bound. The first suffices, as
 * moving such an op forward raises the cost of no other step: the bytes alive
 * are a submodular function of the set. As each set has more ops than the one
 * before, and the set of all ops is not listed, no order below the bound
 * exists.
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

/* The sets of a refutation. Set 0 is the empty one; set i is set from[i], which
 * is listed before it, with op[i] in addition. */
struct order_sets {
	uint32_t *from, *op;
	uint32_t n, from_room, op_room;
};

/* Adds a set to the list. False: memory is out. */
bool mp_order_add_set(struct order_sets *sets, uint32_t from, uint32_t op,
	struct arena *arena);

/* Searches for an order below the claimed bytes, without the code of the
 * search. sets: fills those of the refutation, in the arena; or NULL. False:
 * memory is out. */
bool mp_order_replay(const struct graph *graph, const struct order_bound *claim,
	enum replay_outcome *outcome, struct order_sets *sets,
	struct arena *arena);

/* Do the sets refute all orders below the claimed bytes? They may be any
 * numbers. False: memory is out. */
bool mp_order_check_sets(const struct graph *graph,
	const struct order_bound *claim, const struct order_sets *sets,
	bool *refuted, struct arena *arena);

#endif
