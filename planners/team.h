/*
 * Rows that run in rounds: see team.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_TEAM_H
#define MP_PLANNERS_TEAM_H

#include "planners/planner.h"

enum {
	TEAM_MOST = 16 /* rows of all rounds */
};

enum member_state {
	MEMBER_IDLE,
	MEMBER_BUSY,  /* of the round that runs */
	MEMBER_AHEAD, /* it has run, or does, for a round to come */
	MEMBER_DONE   /* it has run ahead, for the round that runs now */
};

struct member {
	const struct planner *row;
	struct job job;
	struct arena arena; /* has what the row keeps from round to round */
	struct error error;
	void *kept;
	enum member_state state;
	uint64_t steps; /* that it was given */
	enum outcome outcome;
	struct beaten beaten; /* a member before it is done */
};

/* Zero: no row has run. The members are in the arena of the job, as each takes
 * 9 KB. */
struct team {
	struct member *members[TEAM_MOST];
	uint32_t n_members;
	/* Called in another thread while the rest of a round runs, or NULL:
	 * runs rounds to come ahead, with the job that this one would leave if
	 * the rest found nothing. Its steps are those before the round. */
	void (*look_ahead)(void *context, const struct job *job);
	void *context;
	atomic_bool has_ended; /* the round, but for the thread that looks
				  ahead */
};

/* What a row does in a round. */
struct entry {
	const struct planner *row;
	uint64_t steps; /* of its own */
	bool leads;	/* the others help it first: it has work for all
			   threads, and may well leave them none */
	bool lends;	/* it has little work for two threads, is often in vain,
			   and costs nothing then: look ahead beside it */

	/* What came out; of one that still runs nothing, when the team looks
	 * ahead. */
	uint64_t spent;
	bool is_better; /* it has found a better plan than there was */
};

/* Runs a round of different rows. False: one has failed, or memory is out. */
bool mp_planner_team_run(
	struct team *team, struct entry *entries, uint32_t n, struct job *job);

/* Runs what it can of a round to come, when the team looks ahead: rows that
 * have not learnt anything, so that they can be undone. If the job is right,
 * the round finds these rows done. False: not all are, or one has found
 * something. */
bool mp_planner_team_run_ahead(struct team *team, struct entry *entries,
	uint32_t n, const struct job *job);

/* Has the row been run ahead? */
bool mp_planner_team_is_ahead(
	const struct team *team, const struct planner *row);

/* Bytes that all members hold. */
uint64_t mp_planner_team_held(const struct team *team);

void mp_planner_team_free(struct team *team);

#endif
