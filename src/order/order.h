/*
 * Orders: rows that turn a graph into a permutation of its ops. Memory of an
 * order: at each step the bytes of all tensors alive, outputs and temporaries
 * of the running op beside its inputs; the peak is the greatest of these, the
 * theoretical minimum of the plan that follows.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_ORDER_H
#define MP_ORDER_ORDER_H

#include <stdatomic.h>

#include "base/watch.h"
#include "graph/graph.h"

enum {
	ORDER_CHOICES = 4,    /* orders of equal peak handed to the planners */
	ORDER_BOUND_OPS = 32, /* ops that a bound speaks of, at most */
};

struct view;

struct order_job {
	const struct graph *graph;
	const struct view *view; /* of the graph; NULL: none was made yet */
	bool inplace; /* count in-place pairs as the lifetime stage does */
	uint64_t seed;
	uint64_t steps; /* work left, in units of about 100 ns of work */
	uint64_t peak;	/* stop at an order of at most this peak; 0: none */
	const atomic_bool *stop; /* set from outside to interrupt; or NULL */
	struct watch watch;	 /* told now and then */
	struct arena *arena;
	struct error *error;

	/* What came out. A row that improves on an order begins with the first
	 * choice where there is one. */
	uint32_t *choices[ORDER_CHOICES]; /* permutations of the op indices,
					     all of the same peak, but for
					     auto's last, the input's own */
	uint32_t n_choices;
	const char *winner;	/* the row that made the first choice */
	uint64_t found;		/* its peak in bytes */
	uint64_t lower_bound;	/* least peak that any order can have, as far as
				   proved; 0: nothing proved */
	const char *bound_kind; /* "cut", "set", "search"; NULL: none */
	uint32_t bound_ops[ORDER_BOUND_OPS]; /* what it speaks of, see struct
						order_bound */
	uint32_t n_bound_ops;
	bool bound_first;
};

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

const struct order_row *mp_order_find(const char *name);

/* The peak of an order in bytes, sizes rounded to the graph's alignment. */
bool mp_order_peak(const struct graph *graph, const uint32_t *ops, bool inplace,
	uint64_t *peak, struct arena *arena);

/* How many ops have to be taken out and put elsewhere to make this order of the
 * one that lists ops by index. */
bool mp_order_moved(
	const uint32_t *ops, uint32_t n, uint32_t *moved, struct arena *arena);

#endif
