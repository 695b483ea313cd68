/*
 * An index of the parts placed so far that answers which of them conflict with
 * a buffer, and where the buffer fits. There is no list of conflicts: memory is
 * linear in parts and steps, however many pairs conflict. Every constructive
 * planner here is a choice of an order and of a gap.
 *
 * Gaps are ranges of bases, not of bytes: a base in no forbidden range puts
 * none of the buffer's parts on a placed one. So a buffer of one part and a
 * rigid stack of several are the same case.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_ANY_CONFLICT_H
#define MP_PLANNERS_ANY_CONFLICT_H

#include "problem/branches.h"

/* Half-open, of bytes or of bases. */
struct range {
	uint64_t low, high;
};

/* Ascending by low, those of one low as they came. There is room for as many in
 * scratch, which shares no memory with them. */
void mp_planner_ranges_sort(
	struct range *ranges, uint32_t n, struct range *scratch);

struct conflicts {
	const struct problem *problem;
	uint32_t *rank;	  /* of a part: its place by (start, index) */
	uint32_t *part;	  /* of a rank: the inverse */
	uint32_t *before; /* of a step: how many parts start before it; n_steps
			     + 1 of them */
	uint32_t *end;	  /* by rank: end of a placed part, else 0 */
	struct range *place; /* by rank: bytes of a placed part */
	uint32_t *latest; /* tree over buckets of ranks: greatest end in it */
	struct branch_range *branches; /* tree over them: those of all parts in
					  it; NULL: there are no choices */
	uint32_t leaves;	       /* buckets, a power of two */
	struct range *taken; /* bases forbidden to the buffer asked for last */
	struct range *spare; /* room to sort them */
	uint32_t n_taken, room;
	uint32_t n_met;	     /* pairs of parts that question met: its cost */
	struct arena *arena; /* taken grows in it: it must outlive the index */
};

enum fit {
	FIT_LOWEST, /* the lowest base */
	FIT_BEST,   /* in the smallest gap that is large enough, the lower of
		       equal ones; above everything if there is none */
	FIT_TOP,    /* above everything that is in the way: no gap is used */
};

/* Makes an empty index. False only if memory is out, as below. */
bool mp_planner_conflicts_init(struct conflicts *conflicts,
	const struct problem *problem, struct arena *arena);

/* Removes all parts. */
void mp_planner_conflicts_clear(struct conflicts *conflicts);

/* Adds the parts of a buffer, its base at the offset. */
void mp_planner_conflicts_place(
	struct conflicts *conflicts, uint32_t buffer, uint64_t offset);

/* Removes the parts of a placed buffer. */
void mp_planner_conflicts_remove(struct conflicts *conflicts, uint32_t buffer);

/* Adds every buffer that has a fixed offset. */
void mp_planner_conflicts_place_fixed(struct conflicts *conflicts);

/* A placed buffer that another one conflicts with, and the bases at which that
 * would overlap it. */
typedef void mp_planner_conflicts_hit(
	void *context, uint32_t met, struct range bases);

/* Calls hit for every placed buffer that conflicts with this one, more than
 * once where several of their parts do. */
void mp_planner_conflicts_visit(const struct conflicts *conflicts,
	uint32_t buffer, mp_planner_conflicts_hit *hit, void *context);

/* Fills taken with the forbidden bases of a buffer, as a union of ranges. */
bool mp_planner_conflicts_collect(struct conflicts *conflicts, uint32_t buffer);

/* Looks for a base that the last mp_planner_conflicts_collect() leaves, within
 * [bases.low, bases.high). False: there is none. */
bool mp_planner_conflicts_find(const struct conflicts *conflicts,
	struct range bases, uint64_t align, enum fit fit, uint64_t *base);

/* Chooses an offset for a buffer among all that are placed. */
bool mp_planner_conflicts_fit(struct conflicts *conflicts, uint32_t buffer,
	enum fit fit, uint64_t *offset);

#endif
