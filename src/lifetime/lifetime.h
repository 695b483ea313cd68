/*
 * From a graph in an order to a schedule: every tensor gets its lifetime,
 * tensors that share bytes become one buffer, sizes are rounded.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LIFETIME_LIFETIME_H
#define MP_LIFETIME_LIFETIME_H

#include "graph/graph.h"
#include "problem/schedule.h"

struct lifetime_options {
	bool inplace;	  /* honour in-place pairs */
	bool brief;	  /* leave the problem brief, if no op, pool or relation
			     is in the graph */
	const bool *left; /* pairs to leave apart, in the sequence of the
			     schedule's outcomes in this order; NULL: none */
	const struct problem *like; /* of the graph in another order, which has
				       the same clocks and may have the same
				       antichain; NULL: none */
};

/* Makes the schedule of a linked graph in an order, a permutation of the
 * indices of its ops. NULL: failed. The schedule refers to the graph and to the
 * order.
 */
struct schedule *mp_lifetime(const struct graph *graph, const uint32_t *order,
	const struct lifetime_options *options, struct arena *arena,
	struct error *e);

#endif
