/*
 * A shift: in a range of steps, the ops that the last one waits for run before
 * all others, or those that wait for the first one run after all others. Each
 * part keeps its order, so the new order is legal, and only the costs in the
 * range change.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_SHIFT_H
#define MP_ORDER_SEARCH_SHIFT_H

#include "order/search/inside.h"

enum {
	SHIFT_WORK = 16 /* list entries visited in one step of a job; a try
			   takes as many beside */
};

/* Of a tensor. Marks are numbers of tries. */
struct life {
	uint64_t size;
	uint32_t last;	  /* its last user */
	uint32_t dies;	  /* mark: it dies elsewhere in the order tried, */
	uint32_t dies_at; /* at the op that has this step now */
};

/* A tensor that dies at another op. */
struct change {
	uint32_t tensor, from, to; /* steps */
};

/* An order, its profile, and a shift of it that is tried. */
struct shifts {
	struct search *s;
	uint32_t *order;    /* as it is now */
	uint32_t *place;    /* of an op in it */
	uint64_t *costs;    /* of its steps */
	uint64_t *alive;    /* bytes before a step; and behind the last one */
	struct life *lives; /* of tensors */
	uint64_t work;	    /* list entries visited */

	/* Of the range that is tried. */
	uint32_t from, to;
	uint32_t *ops;			 /* of its steps */
	uint64_t *ops_costs, *ops_alive; /* costs, and bytes behind a step */
	uint32_t try;
	uint32_t *moves;	    /* of a step now: mark of one that moves */
	uint32_t *movers, n_movers; /* those, in this order */
	struct change *changes;
	uint32_t n_changes;
	/* What changes add to the bytes behind a step of now, and to its cost
	 * beside: modulo 2^64; 0 between tries. */
	uint64_t *gain, *extra;
};

/* Room for the shifts of a search. False: memory is out. */
bool mp_order_shift_init(struct shifts *shifts, struct search *s);

/* Starts from the best order of the search. */
void mp_order_shift_begin(struct shifts *shifts);

/* Tries a shift in steps [from, to], or in fewer, if some of them stay where
 * they are: to pull what the last op waits for to its start, or to push what
 * waits for the first one to its end. The steps that change, their ops and
 * their costs are known then. False: no op moves. */
bool mp_order_shift_try(
	struct shifts *shifts, uint32_t from, uint32_t to, bool pulls);

/* The order that was tried last becomes the order. */
void mp_order_shift_accept(struct shifts *shifts);

#endif
