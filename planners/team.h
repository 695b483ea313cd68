/*
 * Rows that share one budget in rounds: see team.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_TEAM_H
#define MP_PLANNERS_TEAM_H

#include "planners/planner.h"

enum {
	TEAM_MEMBERS = 2
};

struct member {
	const struct planner *row;
	struct job job;
	struct arena arena; /* has what the row keeps from round to round */
	struct error error;
	void *kept;
	enum outcome outcome;
	atomic_bool beaten; /* a member before it is done */
};

struct team {
	struct member members[TEAM_MEMBERS];
};

void mp_planner_team_init(struct team *team);

/* Runs a round of these rows, the same in each round, with all of the job's
 * steps, of which the second row has that many sixteenths. False: a row failed.
 */
bool mp_planner_team_run(struct team *team, const char *first,
	const char *second, uint32_t part, struct job *job);

void mp_planner_team_free(struct team *team);

#endif
