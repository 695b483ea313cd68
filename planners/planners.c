/*
 * The table of planners, and the job that every row runs in.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/planner.h"

#include <string.h>

#include "planners/any/greedy.h"
#include "planners/peers/ascend.h"
#include "planners/peers/somas.h"
#include "planners/rows.h"

const struct planner mp_planners[] = {
	{"auto", "the best of all rows within the budget", mp_planner_auto_run,
		0, false},
	{"search", "exact, by lowest plateaus: proves what it finds",
		mp_planner_search_run, 0, false},
	{"dive", "fills the lowest plateau first, by several ranks",
		mp_planner_dive_run, 0, true},
	{"local", "dives that learn from where they fail", mp_planner_local_run,
		0, false},
	{"eject", "lower and lower; what is in the way is placed again",
		mp_planner_eject_run, 0, false},
	{"orient", "exact, by who lies above whom: small problems of any kind",
		mp_planner_orient_run, 0, false},
	{"linear", "one tensor behind the other: no reuse",
		mp_planner_linear_run, 0, false},
	{"online-best", "in order of birth, smallest gap that fits",
		mp_planner_greedy_run, ONLINE_BEST, true},
	{"greedy-size", "large first, lowest gap", mp_planner_greedy_run,
		GREEDY_SIZE, true},
	{"greedy-size-best", "large first, smallest gap that fits",
		mp_planner_greedy_run, GREEDY_SIZE_BEST, true},
	{"greedy-area", "large size x lifetime first, lowest gap",
		mp_planner_greedy_run, GREEDY_AREA, true},
	{"greedy-area-best", "large size x lifetime first, smallest gap",
		mp_planner_greedy_run, GREEDY_AREA_BEST, false},
	{"greedy-lifetime", "long-lived first, lowest gap",
		mp_planner_greedy_run, GREEDY_LIFETIME, true},
	{"greedy-lifetime-best", "long-lived first, smallest gap",
		mp_planner_greedy_run, GREEDY_LIFETIME_BEST, false},
	{"greedy-conflicts", "alive with many others first, lowest gap",
		mp_planner_greedy_run, GREEDY_CONFLICTS, true},
	{"greedy-conflicts-best", "alive with many others first, smallest gap",
		mp_planner_greedy_run, GREEDY_CONFLICTS_BEST, false},
	{"greedy-urgency",
		"alive at high loads first, then long-lived, lowest gap",
		mp_planner_greedy_run, GREEDY_URGENCY, true},
	{"greedy-urgency-best",
		"alive at high loads first, then long-lived, smallest gap",
		mp_planner_greedy_run, GREEDY_URGENCY_BEST, false},
	{"greedy-breadth", "alive at high loads first, then large, lowest gap",
		mp_planner_greedy_run, GREEDY_BREADTH, true},
	{"greedy-breadth-best",
		"alive at high loads first, then large, smallest gap",
		mp_planner_greedy_run, GREEDY_BREADTH_BEST, true},
	{"max-block", "Ascend: one class of blocks, the largest",
		mp_planner_ascend_run, ASCEND_MAX, false},
	{"binary-block", "Ascend: classes of blocks by its range rule of 2020",
		mp_planner_ascend_run, ASCEND_BINARY_2020, false},
	{"binary-block-2026",
		"Ascend: classes of blocks by its range rule of 2026",
		mp_planner_ascend_run, ASCEND_BINARY_2026, false},
	{"exact-block", "Ascend: blocks shared by tensors of equal size",
		mp_planner_ascend_run, ASCEND_EXACT, false},
	{"two-level", "Ascend: exact-block, then blocks nested in blocks",
		mp_planner_ascend_run, ASCEND_TWO_LEVEL, false},
	{"two-level-2020", "Ascend: binary-block, nested in order of creation",
		mp_planner_ascend_run, ASCEND_TWO_LEVEL_2020, false},
	{"two-level-range",
		"Ascend: binary-block, nested large and early first",
		mp_planner_ascend_run, ASCEND_RANGE_NEWEST, false},
	{"two-level-range-late",
		"Ascend: binary-block, nested large and late first",
		mp_planner_ascend_run, ASCEND_RANGE_NEWEST_LATE, false},
	{"two-level-range-fifo",
		"Ascend: two-level-range, oldest free block first",
		mp_planner_ascend_run, ASCEND_RANGE_OLDEST, false},
	{"two-level-range-late-fifo",
		"Ascend: two-level-range-late, oldest free block first",
		mp_planner_ascend_run, ASCEND_RANGE_OLDEST_LATE, false},
	{"ascend", "Ascend's choice: the smaller of two-level and max-block",
		mp_planner_ascend_choose, ASCEND_TWO_LEVEL, false},
	{"same-stream", "streams apart: no bytes pass from one to another",
		mp_planner_same_stream_run, 0, false},
	{"somas-shared-best", "SOMAS: shared objects, smallest gap",
		mp_planner_somas_run, SOMAS_SHARED_BEST, false},
	{"somas-shared-lowest", "SOMAS: shared objects, lowest gap",
		mp_planner_somas_run, SOMAS_SHARED_LOWEST, false},
	{"somas-shared-best-peak",
		"SOMAS: shared-best, who shares least of the peak first",
		mp_planner_somas_run, SOMAS_SHARED_BEST_PEAK, false},
	{"somas-shared-lowest-peak",
		"SOMAS: shared-lowest, who shares least of the peak first",
		mp_planner_somas_run, SOMAS_SHARED_LOWEST_PEAK, false},
	{"somas-single-best", "SOMAS: single object, smallest gap",
		mp_planner_somas_run, SOMAS_SINGLE_BEST, false},
	{"somas-single-lowest", "SOMAS: single object, lowest gap",
		mp_planner_somas_run, SOMAS_SINGLE_LOWEST, false},
	{"somas-single-best-peak",
		"SOMAS: single-best, who shares least of the peak first",
		mp_planner_somas_run, SOMAS_SINGLE_BEST_PEAK, false},
	{"somas-single-lowest-peak",
		"SOMAS: single-lowest, who shares least of the peak first",
		mp_planner_somas_run, SOMAS_SINGLE_LOWEST_PEAK, false},
	{"somas-best", "SOMAS: the smallest of its eight",
		mp_planner_somas_choose, SOMAS_LEAST, false},
	{"somas", "SOMAS's choice: shared unless single saves 100 MiB",
		mp_planner_somas_choose, SOMAS_CHOICE, false},
	{"somas-2023", "SOMAS's choice since it has two sorts",
		mp_planner_somas_choose, SOMAS_CHOICE_PEAK, false},
	{"tflite-greedy", "TFLite: whole runs first, large first, smallest gap",
		mp_planner_greedy_run, TFLITE_GREEDY, false},
	{"tflite-breadth", "TFLite: by breadth of the ops, smallest gap",
		mp_planner_greedy_run, GREEDY_BREADTH_BEST, false},
	{"tflm-greedy", "TFLite Micro: large first, first gap",
		mp_planner_greedy_run, GREEDY_SIZE, false},
	{"openvino", "OpenVINO: large first, up until it is clear",
		mp_planner_greedy_run, GREEDY_SIZE, false},
	{"xla-spatial", "XLA: large first, then long-lived, smallest gap",
		mp_planner_greedy_run, XLA_SPATIAL, false},
	{"xla-temporal", "XLA: long-lived first, then large, smallest gap",
		mp_planner_greedy_run, XLA_TEMPORAL, false},
	{"xla", "XLA's choice: the smaller of the two",
		mp_planner_greedy_better, XLA_SPATIAL, false},
	{"tvm-size", "TVM: large first, above all that is in the way",
		mp_planner_greedy_run, TVM_SIZE, false},
	{"tvm-conflicts", "TVM: most conflicts first, above all in the way",
		mp_planner_greedy_run, TVM_CONFLICTS, false},
	{"tvm-hill-climb", "TVM: 500 swaps in the placing order",
		mp_planner_climb_tvm, 0, false},
	{"vela", "Arm Vela: hill climb over the placing order",
		mp_planner_climb_vela, 0, false},
	{"executorch", "ExecuTorch: large first, into whole objects",
		mp_planner_executorch_run, 0, false},
	{"mlir-best", "MLIR: in order of birth, large first, smallest gap",
		mp_planner_greedy_run, MLIR_BEST, false},
#ifdef HAVE_GLPK
	{"ilp", "GLPK on an integer linear program; small problems only",
		mp_planner_ilp_run, 0, false},
#endif
	{"given", "the offsets that the input fixes, as they are",
		mp_planner_given_run, 0, false},
};

const uint32_t mp_n_planners = countof(mp_planners);

const struct planner *mp_planner_find(const char *name)
{
	for (uint32_t i = 0; i < mp_n_planners; i++)
		if (strcmp(mp_planners[i].name, name) == 0)
			return &mp_planners[i];
	return NULL;
}

/* Rows that this build lacks for want of a package: the name, and why. */
static const struct left_out {
	const char *name, *why;
} left_out[] = {
#ifndef HAVE_GLPK
	{"ilp", "it needs GLPK, and 'meson configure -Dilp=enabled'"},
#endif
	{NULL, NULL},
};

const char *mp_planner_left_out(const char *name)
{
	for (const struct left_out *row = left_out; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row->why;
	return NULL;
}
