/*
 * The inside of the lifetime stage: when each tensor is alive (spans.c), which
 * output takes over the bytes of an input (in-place.c), which tensors the input
 * ties together in one buffer (unions.c), and what rectangles that makes
 * (parts.c). Indices are tensors unless said.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LIFETIME_INSIDE_H
#define MP_LIFETIME_INSIDE_H

#include "graph/graph.h"
#include "lifetime/rectangles.h"
#include "lifetime/streams.h"
#include "problem/schedule.h"

/* Tensors that the input ties together in one buffer, or one whose lifetime has
 * gaps. */
struct tensor_union {
	uint32_t *members; /* ascending */
	uint32_t n_members;

	/* Who needs which bytes of the buffer when; these may overlap. */
	const struct rectangle *pieces;
	const uint32_t *needed_by; /* tensor of a piece */
	uint32_t n_pieces;

	struct rectangles cuts; /* they made disjoint: the parts */
};

struct sharing {
	const struct graph *graph;
	const uint32_t *order;
	uint32_t *position; /* of an op in the order */
	uint32_t n_steps;
	struct stay *stay; /* of a tensor, as the schedule has it */
	uint32_t *heir;	   /* tensor that takes over in place, or NONE */
	bool *follows;	   /* it is in a buffer that another comes first in */
	uint32_t *giver;   /* whose bytes a tensor takes over in place, or NONE;
			      NULL: there are no such pairs */

	/* Only where the input ties tensors together, else NULL. */
	struct tensor_union *unions;
	uint32_t n_unions;
	uint32_t *union_of; /* of a tensor; NONE: none */
	uint64_t *base;	    /* of a tensor in its union: its first byte */

	bool *apart; /* a tensor is to be apart from another; NULL: none is */
	uint32_t *branch; /* of a tensor, of all choices; 0: none. NULL: there
			     are none */

	struct streams streams; /* what happens before what */
	struct holders holders; /* with streams: who keeps which parts */

	struct schedule *schedule;
	struct problem *problem; /* that of the schedule */
	struct arena *arena, *scratch;
	struct error *error;
};

static inline bool mp_lifetime_takes_bytes(const struct tensor *tensor)
{
	return !tensor->external && tensor->size > 0;
}

static inline bool mp_lifetime_has_streams(const struct sharing *s)
{
	return s->graph->n_streams > 1;
}

/* Fills position, and start and end of the stays. */
bool mp_lifetime_spans_find(struct sharing *s);

/* Fills unions, from aliases, groups and gaps. Their first members follow no
 * other tensor, the others do. */
bool mp_lifetime_unite(struct sharing *s);

/* Fills heir, giver and follows, if that is wanted, and in any case the
 * schedule's outcomes. Tensors of unions, and those that are to be apart from
 * others, stay as they are. */
bool mp_lifetime_share_in_place(struct sharing *s, bool wanted);

/* Fills buffers, parts and the places of the tensors in them. */
bool mp_lifetime_parts_fill(struct sharing *s);

/* Fills who is to be apart, who excludes whom. */
bool mp_lifetime_relations_fill(struct sharing *s);

#endif
