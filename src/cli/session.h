/*
 * What commands share: the files of an input, the handle that reads them, and
 * the messages on stderr.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_SESSION_H
#define MP_CLI_SESSION_H

#include "cli/arguments.h"
#include "cli/files.h"
#include "memplan/memplan.h"

enum {
	SESSION_FILES = 5
};

struct session {
	memplan *plan;
	struct file files[SESSION_FILES];
	uint32_t n_files;
	uint32_t n_told;	    /* warnings that were printed */
	const struct session *next; /* a session with further files that this
				       one needs; or NULL */
	bool color;		    /* of what is told of it */
};

/* Opens a handle, sets its options and hands in the input's files. On failure
 * prints why and returns the exit status. */
enum memplan_status cli_session_open(struct session *session,
	const struct arguments *arguments, const char *input);
void cli_session_close(struct session *session);

/* Frees the bytes of the input, once the handle has read them. */
void cli_session_forget(struct session *session);

/* Runs the function of a command, with its progress shown. */
enum memplan_status cli_session_run(struct session *session,
	const struct arguments *arguments,
	enum memplan_status (*work)(
		struct session *session, const struct arguments *arguments));

/* The same for memplan_plan(). */
enum memplan_status cli_session_plan(
	struct session *session, const struct arguments *arguments);

/* Prints the error and the new warnings of a handle; returns its status. */
enum memplan_status cli_session_tell(struct session *session,
	const struct arguments *arguments, enum memplan_status status);

/* Names the rows of a table on stderr, to the end of a line. */
void cli_print_rows(const char *table);

/* Prints bytes on stdout. */
enum memplan_status cli_print(const void *bytes, size_t length);

/* Prints a report of the handle on stdout. */
enum memplan_status cli_session_print(
	struct session *session, const char *report);

/* Runs a whole command of one input. Its report has the command's name, with
 * -json behind it for --json. */
enum memplan_status cli_session_report(const struct arguments *arguments,
	const char *command,
	enum memplan_status (*work)(
		struct session *session, const struct arguments *arguments));

#endif
