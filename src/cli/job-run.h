/*
 * Runs a job for a store.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_JOB_RUN_H
#define MP_CLI_JOB_RUN_H

#include "cli/jobs.h"
#include "store/store.h"

/* How the process of a job ends. No other program's status is one of these. */
enum {
	JOB_STATUS = 64,      /* and a status behind it, of an answer or not */
	JOB_STORE_FULL = 100, /* the store takes no files */
	JOB_CONTRADICTS,      /* the store has another answer to the same */
};

/* Plans the job and puts the answer into the store. Returns one of those above;
 * prints why there is no answer. */
int cli_job_run(const struct store *store, const struct job *job);

#endif
