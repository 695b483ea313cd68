/*
 * Jobs: tasks as memplan plan would run them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_JOBS_H
#define MP_CLI_JOBS_H

#include "batch/batch.h"
#include "cli/session.h"

struct job {
	struct task task;
	const char *place;    /* of the task, for messages: "tasks.jsonl:12" */
	const char *input;    /* name of the file */
	struct arguments own; /* as memplan plan would have them */
};

/* Makes the arguments of a job: its task, place and input are there. On
 * failure prints why. Its memory is in the arena. */
enum memplan_status cli_job_make(struct job *job, struct arena *arena);

/* What the command line says of planning, as settings in its arena, by name. On
 * failure prints why. */
enum memplan_status cli_job_settings(
	const struct arguments *arguments, struct settings *settings);

#endif
