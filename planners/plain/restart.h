/*
 * Restarts of the plateau search: many short runs with different orders of
 * preference and a few long ones (Luby, Sinclair, Zuckerman, Information
 * Processing Letters 47, 1993), because the time of a run is heavy-tailed. Runs
 * learn from each other: refuted states stay known, and items over sections
 * that failed often gain preference, as constraints do in weighted-degree
 * heuristics (Boussemart, Hemery, Lecoutre, Sais, ECAI 2004).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_RESTART_H
#define MP_PLANNERS_PLAIN_RESTART_H

#include "planners/plain/plateau.h"

struct restarts {
	struct plateau plateau;
	const uint32_t *lifetime; /* steps, one an item */
	uint64_t random;
	uint64_t base;	 /* failures of the shortest run */
	uint32_t n_runs; /* so far */

	/* One an item. */
	uint64_t *value; /* items of high value are tried first */
	uint64_t *heat;	 /* high where the item meets little room */
	uint64_t *blame; /* how often its sections have failed */
	uint32_t *order, *turn, *spare;
};

/* A sequence of runs on a puzzle. False: memory is out. */
bool mp_planner_restarts_new(struct restarts *r, const struct puzzle *puzzle,
	const uint32_t *lifetime, uint64_t seed, struct nogoods *nogoods,
	struct arena *arena);

/* Goes on with the sequence of runs, for about so many nodes. */
enum plateau_answer mp_planner_restarts_solve(
	struct restarts *r, uint64_t max_nodes);

#endif
