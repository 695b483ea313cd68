/*
 * The run functions of the peers, and the variants that they take; what each
 * does stands in its file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PEERS_ROWS_H
#define MP_PLANNERS_PEERS_ROWS_H

#include "planners/planner.h"

/* Of mp_planner_ascend_run(). */
enum ascend_row {
	ASCEND_MAX,
	ASCEND_BINARY_2020,
	ASCEND_BINARY_2026,
	ASCEND_EXACT,
	ASCEND_TWO_LEVEL,
	ASCEND_TWO_LEVEL_2020,
	ASCEND_RANGE_NEWEST,
	ASCEND_RANGE_NEWEST_LATE,
	ASCEND_RANGE_OLDEST,
	ASCEND_RANGE_OLDEST_LATE,
};

/* Of mp_planner_peer_greedy_run(): rules that no planner of memplan's own has.
 */
enum peer_greedy {
	TFLITE_GREEDY,
	TFLM_GREEDY,
	XLA_SPATIAL,
	XLA_TEMPORAL, /* behind XLA_SPATIAL: "xla" runs both */
	TVM_SIZE,
	TVM_CONFLICTS,
	MLIR_BEST,
};

/* Of mp_planner_somas_run(), or-ed together: so SOMAS tries them from 0 on. */
enum somas_row {
	SOMAS_LOWEST = 1 << 0, /* the lowest gap, not the smallest */
	SOMAS_PEAK = 1 << 1,   /* sorted by what may be shared at the peak */
	SOMAS_SINGLE = 1 << 2, /* a single object, not shared ones */
	SOMAS_ROWS = 1 << 3,
};

/* Choices among these, for mp_planner_somas_choose(): the smallest of all; or
 * shared objects, unless a single object saves more than 100 MiB, without the
 * second sort or with it. */
enum somas_choice {
	SOMAS_LEAST,
	SOMAS_CHOICE,
	SOMAS_CHOICE_PEAK,
};

#define ROW(name, summary, run, ...) mp_planner_run run;
#include "planners/peers/peers.def"
#undef ROW

#endif
