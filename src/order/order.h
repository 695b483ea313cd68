/*
 * Orders: rows that turn a graph into a permutation of its ops. The cost of a
 * step is the bytes of all tensors alive in it, with the inputs, outputs and
 * temporaries of its op. The peak of an order is its greatest cost: the
 * theoretical minimum of a plan for that order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_ORDER_H
#define MP_ORDER_ORDER_H

#include <stdatomic.h>

#include "base/watch.h"
#include "graph/graph.h"

enum {
	ORDER_ALTERNATIVES = 4 /* orders handed to the planners */
};

struct view;

struct order_job {
	const struct graph *graph;
	const struct view *view; /* of the graph; NULL: not made yet */
	bool inplace; /* in-place pairs count once, as in the lifetime stage */
	uint64_t seed;
	uint64_t steps; /* work left, in units of about 100 ns of work */
	uint64_t peak;	/* stop at an order of at most this peak; 0: none */
	const atomic_bool *stop; /* set to interrupt; or NULL */
	struct watch watch;	 /* for progress */
	struct arena *arena;
	struct error *error;

	/* Results. A row that improves on an order begins with the first
	 * alternative if there is one. */
	uint32_t *alternatives[ORDER_ALTERNATIVES]; /* permutations of the op
					     indices; the first has the
					     least peak, and only those of
					     auto may have a higher one */
	uint32_t n_alternatives;
	const uint32_t *kept; /* the alternative that keep would give; NULL: it
				 is none of them, or not known */
	const uint32_t *searched; /* of auto: the alternative that search would
				     give; or NULL */
	const char *winner;	  /* the row that found the first one */
	uint64_t found;		  /* its peak in bytes */
	struct order_bound bound; /* "cut", "set", "few" or "search"; its
				     `inplace` is that of the job */
};

/* Runs a row: fills the results of the job. False if memory is out or the input
 * names no legal order. */
typedef bool order_run(struct order_job *job, int variant);

struct order_row {
	const char *name;
	const char *summary;
	order_run *run;
	int variant;
	bool in_portfolio; /* cheap enough to be tried on any graph */
};

extern const struct order_row mp_orders[];
extern const uint32_t mp_n_orders;

/* The row of that name; NULL: there is none. */
const struct order_row *mp_order_find(const char *name);

/* False if the cost of a step may be too high: with slices, gaps in lifetimes,
 * or exclusive branches. A lower bound made of such costs does not hold. */
bool mp_order_fold_is_exact(const struct graph *graph);

/* The least number of ops that must be taken out and inserted elsewhere to turn
 * the order 0, 1, 2, ... into this one. */
bool mp_order_moved(
	const uint32_t *ops, uint32_t n, uint32_t *moved, struct arena *arena);

#endif
