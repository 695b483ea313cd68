/*
 * spread: local search for a plan within a given size in which few parts take
 * bytes that other parts held before. Each such overwrite is a dependence that
 * the runtime has to keep.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_REUSE_SPREAD_H
#define MP_PLANNERS_REUSE_SPREAD_H

#include "planners/planner.h"

struct spread {
	uint64_t limit; /* bytes that the plan may take: its height or more */

	/* Rows of either table: the search may begin with a plan of one of
	 * them, if it is within the limit and has the fewest overwrites. */
	const char *const *starts;
	uint32_t n_starts;

	/* Whether an overwrite of part a by one born on stream s crosses
	 * streams, at a * n_streams + s: these are to be few before all others
	 * are. NULL: all count alike. */
	const bool *crosses;

	/* What came out. */
	uint32_t before, after; /* overwrites of the plan handed in, and now */
	uint32_t least;		/* a lower bound on them, within the limit */
};

/* Changes the job's best plan, and its height, if it finds one with fewer
 * overwrites within its steps. False: the verifier rejects it, or memory is
 * out.
 */
bool mp_planner_spread(struct job *job, struct spread *spread);

#endif
