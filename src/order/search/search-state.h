/*
 * The ops of a window that have run, forward and back: what a search that tries
 * orders needs to know at each step, kept up to date op by op.
 *
 * An op that waits for nothing and reads nothing is lazy: it is never run for
 * itself, but right before the first op that waits for it. Ops in a row that
 * only lead to each other and share no tensor with others are glued where
 * segments.h says that they may run in one go.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_SEARCH_STATE_H
#define MP_ORDER_SEARCH_SEARCH_STATE_H

#include "order/view.h"

/* Bytes relative to those alive behind the op that the others are glued to. */
struct rest {
	int64_t cost;  /* the most that they need; if none, very low */
	int64_t after; /* behind the last of them */
};

struct state {
	const struct view *view;

	/* Of an op. */
	bool *inside; /* it is in the window and has not run */
	bool *lazy;
	uint32_t *waits;   /* ops it waits for, lazy ones left out */
	uint64_t *extra;   /* bytes of lazy ones that it still waits for */
	uint64_t *freed;   /* bytes that die at it, if it runs next */
	uint64_t *key;	   /* its part of the hash */
	uint32_t *slot;	   /* its place in ready, or NONE */
	uint32_t *glued;   /* the op that runs right behind it, or NONE */
	struct rest *rest; /* what those glued behind it need */

	uint32_t *left;	 /* of a tensor: users that have not run */
	uint32_t *ready; /* ops that may run next, lazy ones left out; those
			    made ready last are behind */
	uint32_t n_ready;
	uint32_t *path; /* the window's ops that have run */
	uint32_t length;
	uint64_t now;  /* bytes alive, pinned ones left out */
	uint64_t hash; /* of the set that has run */
	uint64_t work; /* list members looked at */
};

/* search-glue.c: fills glued and rest of the ops inside. */
bool mp_order_state_glue(struct state *state, const uint32_t *order,
	uint32_t from, uint32_t to, struct arena *arena);

/* Steps before the window [from, to) of the order have run. */
bool mp_order_state_init(struct state *state, const struct view *view,
	const uint32_t *order, uint32_t from, uint32_t to, struct arena *arena);

/* Runs a ready op, behind the lazy ones that it still waits for, and those
 * glued to it. */
void mp_order_state_run(struct state *state, uint32_t op);

/* Back to where the path was that long. */
void mp_order_state_retreat(struct state *state, uint32_t length);

/* Bytes alive while a ready op runs, or one glued to it, at least; exact
 * without in-place pairs. */
uint64_t mp_order_state_cost(const struct state *state, uint32_t op);

/* Bytes alive behind them. */
uint64_t mp_order_state_after(const struct state *state, uint32_t op);

/* The same for what is glued to an op behind which so many bytes are alive. */
static inline uint64_t mp_order_state_rest_cost(
	const struct state *state, uint32_t op, uint64_t after)
{
	int64_t cost = (int64_t)after + state->rest[op].cost;

	return cost > 0 ? (uint64_t)cost : 0;
}

static inline uint64_t mp_order_state_rest_after(
	const struct state *state, uint32_t op, uint64_t after)
{
	return after + (uint64_t)state->rest[op].after;
}

/* The most that in-place pairs can save at the op, if it runs next. */
uint64_t mp_order_state_saving(const struct state *state, uint32_t op);

/* Spreads the bits of a number; one to one. */
uint64_t mp_order_state_mix(uint64_t number);

#endif
