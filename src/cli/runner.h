/*
 * Runs jobs with a crew: those that have no answer in a store yet.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_RUNNER_H
#define MP_CLI_RUNNER_H

#include "cli/crew.h"
#include "cli/jobs.h"
#include "store/store.h"

struct runner {
	const struct arguments *arguments; /* -j, --progress and --quiet */
	struct store store;
	uint64_t n; /* jobs */

	/* Makes job i. On failure prints why. */
	enum memplan_status (*load)(void *context, uint64_t i, struct job *job,
		struct arena *arena);
	/* True: job i is of another shard. NULL: none is. */
	bool (*skips)(void *context, uint64_t i);
	/* Asked now and then: true ends the run. NULL: never. */
	bool (*ends)(void *context);
	void *context;

	/* What was found. */
	uint64_t n_there, n_new, n_failed;  /* answers of before, new ones, and
					       jobs without one */
	uint64_t n_of[MEMPLAN_EBUDGET + 1]; /* answers by their statuses */
	enum memplan_status worst;	    /* of jobs without an answer */
};

/* Opens the store of --store, and checks -j. On failure prints why. */
enum memplan_status cli_runner_open(
	struct runner *runner, const struct arguments *arguments);

/* Runs all jobs. OK: each has an answer. */
enum memplan_status cli_runner_run(struct runner *runner);

#endif
