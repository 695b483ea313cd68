/*
 * Greedy rules that no planner of memplan's own has.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PEERS_GREEDY_RULES_H
#define MP_PLANNERS_PEERS_GREEDY_RULES_H

/* Variants of mp_planner_peer_greedy_run(). */
enum peer_greedy {
	TFLITE_GREEDY,
	XLA_SPATIAL,
	XLA_TEMPORAL, /* behind XLA_SPATIAL: "xla" runs both */
	TVM_SIZE,
	TVM_CONFLICTS,
	MLIR_BEST,
};

#endif
