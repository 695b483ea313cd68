/*
 * Conflicts by question, not by list: an index of the parts placed so far,
 * asked for those alive with a buffer. Its memory is linear in parts and steps,
 * however many pairs conflict. The bytes that the answer leaves free are the
 * gaps in which a buffer fits, and every constructive planner here is a choice
 * of order and gap.
 *
 * Gaps are kept as ranges of bases: a base in no forbidden range puts none of
 * the buffer's parts on a placed one. So a buffer of one part and a rigid stack
 * of several are the same case.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_ANY_CONFLICT_H
#define MP_PLANNERS_ANY_CONFLICT_H

#include "planners/any/byte-ranges.h"
#include "problem/problem.h"

struct conflicts {
	const struct problem *problem;
	uint32_t *rank;	  /* of a part: its place by (start, index) */
	uint32_t *part;	  /* the part of a rank */
	uint32_t *before; /* how many parts start before a step; n_steps + 1 */
	uint32_t *end;	  /* by rank: end of a placed part, else 0 */
	uint64_t *low;	  /* by rank: address of a placed part */
	uint32_t *latest; /* tree over buckets of ranks: greatest end in it */
	uint32_t leaves;  /* buckets, a power of two */
	struct range *taken; /* bases that the last question forbids */
	uint32_t n_taken, room;
	uint32_t n_met;	     /* pairs of parts that it met: what it cost */
	struct arena *arena; /* taken grows in it: keep it alive */
};

enum fit {
	FIT_LOWEST, /* the lowest base */
	FIT_BEST,   /* in the smallest gap that is large enough, the lower of
		       equal ones; above everything if there is none */
	FIT_TOP,    /* above everything that is in the way: no gap is used */
};

/* An index of no parts. False only if memory is out, as for all below. */
bool mp_planner_conflicts_init(struct conflicts *conflicts,
	const struct problem *problem, struct arena *arena);

/* Takes all parts out again. */
void mp_planner_conflicts_clear(struct conflicts *conflicts);

/* Puts the parts of a buffer in, its base at the offset. */
void mp_planner_conflicts_place(
	struct conflicts *conflicts, uint32_t buffer, uint64_t offset);

/* Takes the parts of a placed buffer out again. */
void mp_planner_conflicts_remove(struct conflicts *conflicts, uint32_t buffer);

/* Puts every buffer whose offset the input fixes in, and notes the offset. */
void mp_planner_conflicts_place_fixed(
	struct conflicts *conflicts, uint64_t *offsets);

/* Calls visit for every placed buffer alive with one: more than once if they
 * meet in several parts. */
void mp_planner_conflicts_visit(const struct conflicts *conflicts,
	uint32_t buffer, void (*visit)(void *context, uint32_t met),
	void *context);

/* Likewise, with the bases of the buffer that would put it on the one met. */
void mp_planner_conflicts_hits(const struct conflicts *conflicts,
	uint32_t buffer,
	void (*visit)(void *context, uint32_t met, struct range bases),
	void *context);

/* Fills taken with the forbidden bases of a buffer: ascending, apart. */
bool mp_planner_conflicts_collect(struct conflicts *conflicts, uint32_t buffer);

/* Looks for a base within the bases given, after
 * mp_planner_conflicts_collect(). False: there is none. */
bool mp_planner_conflicts_find(const struct conflicts *conflicts,
	struct range bases, uint64_t align, enum fit fit, uint64_t *base);

/* The offset for a buffer beside all that is placed. */
bool mp_planner_conflicts_fit(struct conflicts *conflicts, uint32_t buffer,
	enum fit fit, uint64_t *offset);

#endif
