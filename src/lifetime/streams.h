/*
 * Which op happens before which, if ops run on several streams. An op waits for
 * the op before it in its stream and for those that the graph says. Nothing
 * else orders two ops, wherever they are listed.
 *
 * Ops of a stream have positions 1, 2, ...; position 0 is before the first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LIFETIME_STREAMS_H
#define MP_LIFETIME_STREAMS_H

#include "graph/graph.h"
#include "problem/schedule.h"

struct streams {
	uint32_t n; /* streams */
	const struct graph *graph;
	const struct schedule *schedule;
	uint32_t *position; /* of an op in its stream; the schedule's */
	uint32_t *step;	    /* of an op in the given order */
	struct lists ops;   /* of a stream, in the order */

	/* n an op: the position on each stream of the first op that this one
	 * happens before; one more than the last position: there is none. */
	uint32_t *behind;
};

/* Fills the positions and clocks of the schedule, which has a linked graph and
 * a legal order, too. */
bool mp_lifetime_streams_init(struct streams *streams,
	struct schedule *schedule, struct arena *arena, struct arena *scratch);

/* A tensor holds n parts of the problem, which are neighbours. */
struct holder {
	uint32_t part, n; /* the first; at least 1 */
	uint32_t tensor;
};

struct holders {
	struct holder *at;
	uint32_t n;
};

/* Fills stream, born and free of a problem, and widens its parts and buffers to
 * envelopes: parts with disjoint envelopes never conflict. A part is born with
 * the first of its holders and free after the last. */
bool mp_lifetime_streams_fill(const struct streams *streams,
	const struct holders *holders, struct problem *problem,
	struct arena *arena);

#endif
