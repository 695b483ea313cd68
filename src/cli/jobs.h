/*
 * Jobs: tasks as memplan plan would run them, and their answers in a store.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_JOBS_H
#define MP_CLI_JOBS_H

#include "batch/batch.h"
#include "cli/session.h"
#include "store/store.h"

/* The ending of an answer's name in a store. That of its outputs is a dot and
 * the output's name; that of an answer that contradicts the first one is this.
 */
#define JOB_ANSWER ".json"
#define JOB_OTHER ".other"

struct job {
	struct task task;
	const char *place;    /* of the task, for messages: "tasks.jsonl:12" */
	const char *input;    /* name of the file */
	struct arguments own; /* as memplan plan would have them */
};

/* Makes the arguments of a job: its task, place and input are there. On
 * failure prints why. Its memory is in the arena. */
enum memplan_status cli_job_make(struct job *job, struct arena *arena);

/* What the command line says of planning, as settings in its arena, by name.
 * False: memory is out. */
bool cli_job_settings(
	const struct arguments *arguments, struct settings *settings);

/* Digests of files that were read a moment ago. */
struct digests;

/* Begins without any; NULL: memory is out, which it prints. */
struct digests *cli_job_digests(struct arena *arena);
void cli_job_digests_free(struct digests *digests);

/* The key of the job, of its files as they are. On failure prints why. */
enum memplan_status cli_job_key(
	const struct job *job, struct digests *digests, char key[SHA256_TEXT]);

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
