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

/* Makes the problem. False: memory is out. */
bool mp_planner_rest_make(
	const struct compounds *c, const struct job *job, struct problem *rest);

/* Offers the job the plan of its buffers that follows from one of the rest. */
bool mp_planner_rest_offer(
	struct compounds *c, struct job *job, const struct job *own);

#endif
