/*
 * The run functions of all rows; what each does stands in its own file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_ROWS_H
#define MP_PLANNERS_ROWS_H

#include "planners/planner.h"

enum outcome mp_planner_auto_run(struct job *job, int variant);
enum outcome mp_planner_linear_run(struct job *job, int variant);
enum outcome mp_planner_ascend_run(struct job *job, int variant);
enum outcome mp_planner_ascend_choose(struct job *job, int variant);
enum outcome mp_planner_climb_tvm(struct job *job, int variant);
enum outcome mp_planner_climb_vela(struct job *job, int variant);
enum outcome mp_planner_greedy_run(struct job *job, int variant);
enum outcome mp_planner_greedy_better(struct job *job, int variant);
#ifdef HAVE_GLPK
enum outcome mp_planner_ilp_run(struct job *job, int variant);
#endif
enum outcome mp_planner_given_run(struct job *job, int variant);
enum outcome mp_planner_dive_run(struct job *job, int variant);
enum outcome mp_planner_same_stream_run(struct job *job, int variant);
enum outcome mp_planner_eject_run(struct job *job, int variant);
enum outcome mp_planner_orient_run(struct job *job, int variant);
enum outcome mp_planner_search_run(struct job *job, int variant);
enum outcome mp_planner_local_run(struct job *job, int variant);

enum outcome mp_planner_executorch_run(struct job *job, int variant);
enum outcome mp_planner_somas_run(struct job *job, int variant);
enum outcome mp_planner_somas_choose(struct job *job, int variant);

#endif
