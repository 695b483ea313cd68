/*
 * The rest of a problem, once buffers are joined: a buffer for each compound
 * that is live. Fixed offsets within a compound fix it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_REST_H
#define MP_PLANNERS_PLAIN_REST_H

#include "planners/plain/compounds.h"

/* Breaks compounds of which fixed offsets leave the place in doubt, or no
 * place. False: memory is out. */
bool mp_planner_rest_fit(struct compounds *c, struct job *job);

/* Plans the rest by a row, and offers the job the plan of its buffers that
 * follows, if there is one. own is a copy of the job, as that of
 * mp_planner_job_hand_on(). False: memory is out, or a row fails. */
bool mp_planner_rest_plan(struct compounds *c, struct job *job,
	mp_planner_run *run, struct job *own);

/* Makes the plan that own has found lower, if it has found one: of the
 * compounds, of those that they are made of, and so on, each moved as a whole.
 * It takes so many steps at most. False: as above. */
bool mp_planner_rest_refine(
	struct compounds *c, struct job *job, struct job *own, uint64_t steps);

#endif
