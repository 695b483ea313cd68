/*
 * The state of the exact search: which ops of a window have run, updated op by
 * op forward and backward.
 *
 * Lazy: an op without predecessors and inputs. It does not run by itself, but
 * right before the first op that waits for it. Glued: ops of a chain that lead
 * only to each other and share no tensor with other ops are contracted into one
 * move where segments.h says that they may run without a pause.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_SEARCH_STATE_H
#define MP_ORDER_SEARCH_SEARCH_STATE_H

#include "order/view.h"

/* The ops glued behind an op. Bytes relative to those alive after that op. */
struct rest {
	int64_t cost;  /* the greatest cost of one of them; very low if none */
	int64_t after; /* bytes alive after the last of them */
};

struct state {
	const struct view *view;

	/* Of an op. */
	bool *inside; /* it is in the window and has not run */
	bool *lazy;
	uint32_t *waits; /* predecessors that have not run, without lazy ones */
	uint64_t *extra; /* bytes of lazy predecessors that have not run */
	uint64_t *freed; /* bytes that die at it, if it runs next */
	uint64_t *key;	 /* its part of the hash */
	uint32_t *slot;	 /* its place in ready, or NONE */
	uint32_t *glued; /* the op that runs right after it, or NONE */
	struct rest *rest; /* of the ops glued behind it */

	uint32_t *left;	 /* of a tensor: users that have not run */
	uint32_t *ready; /* ops that may run next, without lazy ones; those
			    made ready last are at the end */
	uint32_t n_ready;
	uint32_t *path; /* the window's ops that have run */
	uint32_t length;
	uint64_t now;  /* bytes alive, without pinned tensors */
	uint64_t hash; /* of the set of ops that have run */
	uint64_t work; /* list entries visited */
};

/* search-glue.c: fills glued and rest for the window [from, to) of an order. */
bool mp_order_state_glue(struct state *state, const uint32_t *order,
	uint32_t from, uint32_t to, struct arena *arena);

/* The state in which the steps before the window [from, to) have run. */
bool mp_order_state_init(struct state *state, const struct view *view,
	const uint32_t *order, uint32_t from, uint32_t to, struct arena *arena);

/* Runs the lazy ops that a ready op still waits for, the op, and those glued to
 * it. */
void mp_order_state_run(struct state *state, uint32_t op);

/* Undoes ops until the path has this length. */
void mp_order_state_retreat(struct state *state, uint32_t length);

/* A lower bound on the cost of a ready op and those glued to it; exact without
 * in-place pairs. */
uint64_t mp_order_state_cost(const struct state *state, uint32_t op);

/* Bytes alive after them. */
uint64_t mp_order_state_after(const struct state *state, uint32_t op);

/* The same for the ops glued to an op after which so many bytes are alive. */
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

/* A bijective hash of 64 bits: the mixing step of splitmix64. */
uint64_t mp_order_state_mix(uint64_t number);

#endif
