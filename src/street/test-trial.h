/*
 * A random graph of everything, planned through the public calls.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_STREET_TEST_TRIAL_H
#define MP_STREET_TEST_TRIAL_H

#include "street/street.h"

#include "testing/player.h"

/* Seeds with this bit are of graphs with loops. */
#define TRIAL_LOOPS (UINT64_C(1) << 32)

struct trial {
	uint64_t seed;
	struct play play;
	char text[PLAY_JSON];
	char plan[PLAY_JSON]; /* as it is written */
	memplan *m;
	enum memplan_status status;
};

/* Makes the graph of that seed; true if it has ops. */
bool mp_trial_make(struct trial *trial, uint64_t seed);

/* Plans the graph of that seed with the next row of the planners. Returns false
 * if a pool is too small for the tensors that may lie only there. */
bool mp_trial_plan(struct trial *trial, uint64_t seed);

/* Tells the player where the plan has everything. */
void mp_trial_take(struct trial *trial);

/* Writes the plan as JSON. */
void mp_trial_write(memplan *m, char *text);

/* Checks such a text against the graph. words: the error, up to 200 bytes. */
enum memplan_status mp_trial_check(
	const struct trial *trial, const char *text, char *words);

/* Checks it without a graph. */
enum memplan_status mp_trial_check_alone(const char *text, char *words);

/* Plans a graph or a plan, and writes what comes out. */
void mp_trial_plan_text(const char *text, char *plan);

#endif
