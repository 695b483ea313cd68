/*
 * The run functions of memplan's own rows; what each does stands in its file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNER_ROWS_H
#define MP_PLANNER_ROWS_H

#include "planners/planner.h"

mp_planner_run mp_planner_auto_run;
mp_planner_run mp_planner_climb_run;
mp_planner_run mp_planner_dive_run;
mp_planner_run mp_planner_eject_run;
mp_planner_run mp_planner_given_run;
mp_planner_run mp_planner_greedy_run;
#ifdef HAVE_GLPK
mp_planner_run mp_planner_ilp_run;
#endif
mp_planner_run mp_planner_linear_run;
mp_planner_run mp_planner_local_run;
mp_planner_run mp_planner_orient_run;
mp_planner_run mp_planner_search_run;

#endif
