/*
 * Repairs of a joiner in two halves, which two threads share. What comes out
 * does not depend on the threads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_HALVES_H
#define MP_PLANNERS_PLAIN_HALVES_H

#include "planners/plain/joiner.h"

/* Repairs what is joined with three quarters of the job's budget. *worth_it: it
 * did not end early, as a sixteenth of the budget has left more than half of
 * the compounds, and too many to be planned well, or as that could be seen
 * before. With fixed offsets it never ends early, as the rows behind jigsaw are
 * far off then. False: memory is out. */
bool mp_planner_halves_repair(
	struct joiner *joiner, struct job *job, bool *worth_it);

#endif
