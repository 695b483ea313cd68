/*
 * A search of all orders that are below a bound, to confirm it: in a way that
 * is easy to believe, and that can be told.
 *
 * A set is the ops that have run. Sets from which no order below the bound can
 * go on are listed: the empty one is the first, and that of all ops is not one.
 * Each step from a listed set (set-steps.h) leads to a listed one; or one step
 * does, after which no more bytes are alive than before. That suffices, as
 * moving such ops forward raises the cost of no other step: the bytes alive are
 * a submodular function of the set. As each set has more ops than the one
 * before, no order below the bound exists.
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

/* A set: another, which has a lower number, with an op in addition. */
struct order_set {
	uint32_t from, op;
	bool on_way; /* to others: it is not listed */
};

/* The sets of a refutation. Set 0 is the empty one. */
struct order_sets {
	struct order_set *at;
	uint32_t n, room;
};

/* Adds a set. False: memory is out. */
bool mp_order_add_set(
	struct order_sets *sets, struct order_set set, struct arena *arena);

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
