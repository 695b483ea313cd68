/*
 * Disjunctive arcs: of two parts in conflict one lies below the other, which is
 * a least difference between the bases of their buffers. The base of every
 * buffer has a least and a greatest value. Where these rule out one of the two
 * ways, the other is decided; a decision narrows the bases in turn. Decisions
 * are undone in the reverse order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_ANY_ARCS_H
#define MP_PLANNERS_ANY_ARCS_H

#include "problem/problem.h"

/* Every node of the search looks at all pairs until nothing changes, which
 * limits the pairs. Of graphs with 16 to 28 tensors, four in five are proved
 * within the default effort; far beyond, searching them is of no use. */
enum {
	ARCS_MOST_BUFFERS = 64,
	ARCS_MOST_PARTS = 512,
	ARCS_MOST_PAIRS = 2048
};

enum side {
	OPEN,
	FIRST_BELOW,
	FIRST_ABOVE
};

/* Parts in conflict, of two buffers. */
struct pair {
	uint32_t first, second; /* buffers */
	int64_t below;		/* base of second - base of first, at least, if
				   first's part is below */
	int64_t above;		/* base of first - base of second, at least, if
				   it is above */
	uint8_t side;		/* enum side */
};

/* Bases that a buffer may still have. */
struct bases {
	int64_t least, most;
};

struct arcs {
	const struct problem *problem;
	struct pair *pairs;
	uint32_t n_pairs;
	struct bases *bases; /* one a buffer */
	uint32_t *decided;   /* the pairs that are not open, in that order */
	uint32_t n_decided;
	bool is_lost; /* propagation did not settle: nothing is known */
};

/* True if the problem is small enough, but for the number of its pairs. */
bool mp_planner_arcs_fit(const struct problem *problem);

/* All pairs, open. False: there are too many, or memory is out. */
bool mp_planner_arcs_init(
	struct arcs *arcs, const struct problem *problem, struct arena *arena);

/* Opens all pairs; every base is one of an arena of so many bytes. */
void mp_planner_arcs_start(struct arcs *arcs, int64_t limit);

/* No buffer reaches beyond the limit. */
void mp_planner_arcs_clip(struct arcs *arcs, int64_t limit);

void mp_planner_arcs_decide(struct arcs *arcs, uint32_t pair, enum side side);

/* Opens all but the first n_decided pairs; the bases stay as they are. */
void mp_planner_arcs_undo(struct arcs *arcs, uint32_t n_decided);

/* Narrows bases and decides pairs until nothing follows any more. Adds the
 * pairs that it looks at to the work. False: there is no plan, unless is_lost
 * says that propagation did not settle. */
bool mp_planner_arcs_propagate(struct arcs *arcs, uint64_t *work);

/* How far the bases can still move if the pair is decided so; negative: this
 * side is ruled out. */
int64_t mp_planner_arcs_slack(
	const struct arcs *arcs, const struct pair *pair, enum side side);

#endif
