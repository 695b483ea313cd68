/*
 * The run functions of the peers; what each does stands in its file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PEERS_ROWS_H
#define MP_PLANNERS_PEERS_ROWS_H

#include "planners/planner.h"

mp_planner_run mp_planner_ascend_choose;
mp_planner_run mp_planner_ascend_run;
mp_planner_run mp_planner_climb_tvm;
mp_planner_run mp_planner_executorch_run;
mp_planner_run mp_planner_peer_greedy_better;
mp_planner_run mp_planner_peer_greedy_run;
mp_planner_run mp_planner_same_stream_run;
mp_planner_run mp_planner_somas_choose;
mp_planner_run mp_planner_somas_run;

#endif
