/*
 * The steps on from a set of ops: those that suffice to find an order below a
 * bound, if there is one.
 *
 * Without in-place pairs, some tensor dies next. A step is all that must run
 * for one tensor to die: its users, and what they wait for. In an order, what
 * runs before that death frees nothing. So each of those ops that moves behind
 * the users costs no more there than they did behind it, and they cost less.
 * Steps with all ops of a smaller step are left out: that tensor dies before.
 * If none can die, all ops that are left are one step. With pairs a step is any
 * op that is ready.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_SET_STEPS_H
#define MP_ORDER_SEARCH_SET_STEPS_H

#include "order/search/set-walk.h"

struct set_step {
	uint32_t from, n; /* of the list of ops */
};

struct set_steps {
	struct set_walk *walk;
	struct set_step *at;
	uint32_t *ops; /* of all steps */
	uint32_t n, n_ops, room, ops_room;

	bool pairs;	  /* the claim counts in-place pairs, and there are some
			   */
	uint64_t *writes; /* of an op: bytes */
	bool *dead;	  /* of an op: some of them die with it */

	/* Scratch. */
	uint64_t round;	    /* numbers groups of ops */
	uint64_t *group_of; /* of an op: the last one that it was in */
	uint64_t bytes;	    /* that the group writes */
	uint32_t first;	    /* of its ops */
	uint32_t last;	    /* the one at which its tensor dies; or NONE */
	uint32_t n_left;    /* users of that tensor that have not run */
	bool given_up;	    /* it is not within the bound, or has another one */
	uint32_t *size_of;  /* of a tensor: ops of its group; NONE: given up */
	uint32_t *next;	    /* of an op: the next one of those before it */
	uint32_t *stack;
	uint32_t depth;
	struct arena *arena;
};

/* False: memory is out. */
bool mp_order_steps_init(
	struct set_steps *steps, struct set_walk *walk, struct arena *arena);

/* Adds the steps within the bound from the set of the walk. False: memory is
 * out. */
bool mp_order_steps_find(struct set_steps *steps);

/* Runs the ops of a step. */
void mp_order_steps_run(const struct set_steps *steps, uint32_t i);

#endif
