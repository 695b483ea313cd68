/*
 * The run functions of all rows; what each does stands in its own file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNER_ROWS_H
#define MP_PLANNER_ROWS_H

#include "planners/planner.h"

enum outcome mp_auto_run(struct job *job, int variant);
enum outcome mp_linear_run(struct job *job, int variant);
enum outcome mp_ascend_run(struct job *job, int variant);
enum outcome mp_ascend_choose(struct job *job, int variant);
enum outcome mp_climb_tvm(struct job *job, int variant);
enum outcome mp_climb_vela(struct job *job, int variant);
enum outcome mp_greedy_run(struct job *job, int variant);
enum outcome mp_greedy_better(struct job *job, int variant);
#ifdef HAVE_GLPK
enum outcome mp_ilp_run(struct job *job, int variant);
#endif
enum outcome mp_given_run(struct job *job, int variant);
enum outcome mp_dive_run(struct job *job, int variant);
enum outcome mp_same_stream_run(struct job *job, int variant);
enum outcome mp_eject_run(struct job *job, int variant);
enum outcome mp_orient_run(struct job *job, int variant);
enum outcome mp_search_run(struct job *job, int variant);
enum outcome mp_local_run(struct job *job, int variant);

enum outcome mp_objects_run(struct job *job, int variant);
enum outcome mp_somas_run(struct job *job, int variant);
enum outcome mp_somas_choose(struct job *job, int variant);

#endif
