/*
 * The run functions of the peers; what each does stands in its file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PEERS_ROWS_H
#define MP_PLANNERS_PEERS_ROWS_H

#include "planners/planner.h"

#define ROW(name, summary, run, ...) mp_planner_run run;
#include "planners/peers/peers.def"
#undef ROW

#endif
