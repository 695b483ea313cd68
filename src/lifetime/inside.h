/*
 * Declarations for the files of the lifetime stage only: when each tensor is
 * alive (spans.c), which output takes over the bytes of an input (in-place.c),
 * which tensors the input ties in one buffer (unions.c), and the buffers and
 * parts that follow (parts.c). Arrays have one entry a tensor if nothing else
 * is said.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LIFETIME_INSIDE_H
#define MP_LIFETIME_INSIDE_H

#include "graph/graph.h"
#include "lifetime/rectangles.h"
#include "lifetime/streams.h"
#include "problem/schedule.h"

/* Tensors that the input ties in one buffer, or a tensor with gaps in its
 * lifetime. */
struct tensor_union {
	struct ids members; /* ascending */

	/* The bytes and steps that the members need; these may overlap. */
	struct rectangle *needs;
	uint32_t *needed_by; /* tensor of each of them */
	uint32_t n_needs;

	struct rectangles parts; /* the same bytes and steps, disjoint */
};

struct sharing {
	const struct graph *graph;
	const uint32_t *order;
	uint32_t *position; /* of an op in the order */
	uint32_t n_steps;
	struct stay *stay;    /* of a tensor, as the schedule has it */
	uint32_t *taken_by;   /* output that takes over its bytes, or NONE */
	bool *follows;	      /* it is not the first tensor of its buffer */
	uint32_t *takes_from; /* input that it takes over in place, or NONE;
				 NULL: there are no pairs */

	/* If the input ties tensors, else NULL. */
	struct tensor_union *unions;
	uint32_t n_unions;
	uint32_t *union_of; /* NONE: none */
	uint64_t *base;	    /* its first byte in its union */

	bool *apart;	  /* it is to be apart from another; NULL: none is */
	uint32_t *branch; /* numbered through all choices; 0: none. NULL: there
			     are no choices */

	struct streams streams; /* which op happens before which */
	struct holders holders; /* several streams: the holders of all parts */

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

/* Makes unions of aliases, groups, gaps and states. All members but the first
 * follow. */
bool mp_lifetime_unite(struct sharing *s);

/* Fills the schedule's outcomes and, if sharing is wanted, taken_by, takes_from
 * and follows. Tensors of unions, and those that are to be apart from others,
 * never share in place. */
bool mp_lifetime_share_in_place(struct sharing *s, bool wanted);

/* Fills the buffers, the parts, and where each tensor is in its buffer. */
bool mp_lifetime_parts_fill(struct sharing *s);

/* Fills which buffers are to be apart, the branch of each, and its pools. */
bool mp_lifetime_relations_fill(struct sharing *s);

#endif
