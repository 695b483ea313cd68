/*
 * Random graphs of everything, each planned, and all of them in one arena.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUNDLE_TEST_BUNDLE_TRIAL_H
#define MP_BUNDLE_TEST_BUNDLE_TRIAL_H

#include "bundle/testing.h"
#include "testing/player.h"

enum {
	MOST_PARTS = 3,
	MOST_BYTES = 1 << 16,
};

struct part {
	struct play play;
	char text[PLAY_JSON], plan[PLAN];
	char name[16];
	memplan *m, *again;
};

struct bundle_trial {
	uint64_t seed, random, alignment;
	bool concurrent, by_plans;
	uint32_t n;
	uint32_t same; /* the tensor of each graph that is to have one offset in
			  all of them; NONE: none is */
	struct part parts[MOST_PARTS];
	memplan *whole;
	char plan[PLAN];
	const char *refused; /* why the whole cannot be */
	uint8_t owner[MOST_BYTES];
};

/* False: the whole cannot be, and refused says why. */
bool mp_bundle_trial_make(struct bundle_trial *t, uint64_t seed);

/* Does the graph keep it between its runs? */
bool mp_bundle_trial_is_kept(
	const struct play *play, const struct play_tensor *t);

void mp_bundle_trial_release(struct bundle_trial *t);

#endif
