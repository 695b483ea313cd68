/*
 * How eject begins.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_ANY_EJECT_H
#define MP_PLANNERS_ANY_EJECT_H

/* Variants of mp_planner_eject_run(). */
enum eject_aim {
	EJECT_ALL,   /* the first round aims at the bound */
	EJECT_LITTLE /* or a little lower than the plan, which is one that more
			steps of the like made lower just before */
};

#endif
