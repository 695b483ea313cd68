/*
 * Rows that run in rounds: see team.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_TEAM_H
#define MP_PLANNERS_TEAM_H

#include "planners/planner.h"

enum {
	TEAM_MOST = 12 /* rows of all rounds */
};

struct member {
	const struct planner *row;
	struct job job;
	struct arena arena; /* has what the row keeps from round to round */
	struct error error;
	void *kept;
	enum outcome outcome;
	struct beaten beaten; /* a member before it is done */
};

/* Zero: no row has run. The members are in the arena of the job, as each takes
 * 9 KB. */
struct team {
	struct member *members[TEAM_MOST];
	uint32_t n_members;
};

/* What a row does in a round. */
struct entry {
	const struct planner *row;
	uint64_t steps; /* of its own */
	bool leads;	/* the others wait for it: it has work for all threads,
			   and may well leave them none */

	/* What came out. */
	uint64_t spent;
	bool is_better; /* it has found a better plan than there was */
};

/* Runs a round of different rows. False: one has failed, or memory is out. */
bool mp_planner_team_run(
	struct team *team, struct entry *entries, uint32_t n, struct job *job);

void mp_planner_team_free(struct team *team);

#endif
