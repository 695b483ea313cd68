/*
 * Answers to jobs in a store.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_JOB_ANSWERS_H
#define MP_CLI_JOB_ANSWERS_H

#include "batch/batch.h"
#include "store/store.h"

/* The ending of an answer's name in a store. That of its outputs is a dot and
 * the output's name; that of an answer that contradicts the first one is this.
 */
#define JOB_ANSWER ".json"
#define JOB_OTHER ".other"

enum job_found {
	JOB_FOUND,
	JOB_MISSING,
	JOB_BROKEN, /* there is something that is no answer: prints that */
	JOB_FAILED, /* memory is out, or the store cannot be read: prints why;
		     * the status of the answer is that */
};

/* Looks for the answer to a job. The outputs have to be there; if they are to
 * be compared, byte for byte. */
enum job_found cli_job_find(const struct store *store, const char *key,
	bool compare, struct answer *answer);

/* Prints what went wrong with a store, and forgets it; returns its status. */
enum memplan_status cli_job_tell_store(const struct store *store);

/* An output of an answer that was found, in a sink that is empty. On failure
 * prints why. */
bool cli_job_output(const struct store *store, const char *key,
	const char *name, struct sink *sink);

#endif
