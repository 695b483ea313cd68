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
#include "graph/pair-match.h"
#include "problem/schedule.h"

/* ------------------------------------------------------- rectangles */

/* Bytes [low, high), not empty, in steps [start, end), not empty. */
struct rectangle {
	uint64_t low, high;
	uint32_t start, end;
};

struct rectangles {
	struct rectangle *at;
	uint32_t n;
};

/* Makes rectangles that cover the same bytes and steps and do not overlap,
 * ascending by bytes, then by steps. Neighbours that form a rectangle are one.
 * If whole, no byte has a gap between its first and its last step. The result
 * is in the arena; scratch is rewound. */
bool mp_lifetime_rectangles_cut(const struct rectangle *pieces, uint32_t n,
	bool whole, struct rectangles *result, struct arena *arena,
	struct arena *scratch);

/* --------------------------------------------------------- coverage */

/* A segment tree: node 1 has all places, node i those of 2 i and 2 i + 1. */
struct covered {
	uint32_t n;	/* places */
	uint32_t width; /* of node 1: a power of two */
	uint32_t *
		count; /* of a node: ranges that cover it, but not its parent */
	uint8_t *state;
};

bool mp_lifetime_covered_init(
	struct covered *c, uint32_t n, struct arena *arena);

/* Adds a range [from, to), not empty, or removes one that was added. */
void mp_lifetime_covered_change(
	struct covered *c, uint32_t from, uint32_t to, bool adds);

/* The first place from `from` on that is covered, or that is not; n if there is
 * none. */
uint32_t mp_lifetime_covered_next(
	const struct covered *c, uint32_t from, bool is_covered);

/* One more than the last place below `to` that is covered, or that is not; 0 if
 * there is none. */
uint32_t mp_lifetime_covered_last(
	const struct covered *c, uint32_t to, bool is_covered);

/* ---------------------------------------------------------- streams */

/*
 * Which op happens before which, if ops run on several streams. An op waits for
 * the op before it in its stream and for those that the graph says. Nothing
 * else orders two ops, wherever they are listed.
 *
 * Ops of a stream have positions 1, 2, ...; position 0 is before the first.
 */
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
	struct schedule *schedule, const struct problem *like,
	struct arena *arena, struct arena *scratch);

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

/* ---------------------------------------------------------- sharing */

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

	const struct problem *like; /* may have the same antichain; or NULL */
	const bool *left; /* pairs to leave apart, as the schedule lists them;
			     NULL: none */
	struct pair_matcher matcher;
	struct shared_pair *permitted; /* of one op; room for all its pairs */

	bool *apart;	  /* it is to be apart from another; NULL: none is */
	uint32_t *branch; /* numbered through all choices; 0: none. NULL: there
			     are no choices */

	struct streams streams; /* which op happens before which */
	struct holders holders; /* several streams: the holders of all parts */

	bool brief; /* no parts are listed */
	bool alone; /* brief, and tensor i is buffer i with its fixed lifetime:
		       there is no stay */
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

/* Fails if the tensor is alive in no step: a plan may say so of one that takes
 * over, or is taken over, in its only step, and of no other. */
bool mp_lifetime_has_step(const struct sharing *s, uint32_t t);

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

/* Fills what banks cost, if a pool has some: after the above. */
bool mp_lifetime_bank_costs_fill(struct sharing *s);

#endif
