/*
 * Keys of jobs: what a store calls their answers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_JOB_KEYS_H
#define MP_CLI_JOB_KEYS_H

#include "cli/jobs.h"

/* Digests of files that were read a moment ago. */
struct digests;

/* Begins without any; NULL: memory is out, which it prints. */
struct digests *cli_job_digests(struct arena *arena);
void cli_job_digests_free(struct digests *digests);

/* The key of the job, of its files as they are. On failure prints why. */
enum memplan_status cli_job_key(
	const struct job *job, struct digests *digests, char key[SHA256_TEXT]);

/* The key of what a session of the job read: of the bytes that are planned,
 * which may not be those that its files have later. False: memory is out. */
bool cli_job_session_key(const struct job *job, const struct session *session,
	char key[SHA256_TEXT]);

#endif
