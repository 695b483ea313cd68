/*
 * What commands share: the files of an input, the handle that reads them, the
 * messages on stderr, and what is written to a terminal besides text: a line of
 * progress, and colour.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_SESSION_H
#define MP_CLI_SESSION_H

#include "cli/arguments.h"
#include "cli/drafts.h"
#include "cli/files.h"
#include "cli/paths.h"
#include "cli/say.h"
#include "memplan/memplan.h"

enum {
	SESSION_FILES = 8
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

/* Lists the inputs and their companion files, with all batches, and the
 * outputs. False: one file is lost; prints which. */
bool cli_session_list(const struct arguments *arguments, struct paths *paths);

/* A file of an input, and what it is for. */
struct session_file {
	const char *role, *name;
};

/* Lists the files that cli_session_open() reads, at most SESSION_FILES. On
 * failure prints why. */
enum memplan_status cli_session_files(const struct arguments *arguments,
	const char *input, struct session_file files[SESSION_FILES],
	uint32_t *n);

/* Opens a handle, sets its options and hands in the input's files. On failure
 * prints why and returns the exit status. */
enum memplan_status cli_session_open(struct session *session,
	const struct arguments *arguments, const char *input);
void cli_session_close(struct session *session);

/* Adds the file of --proof, if there is one, to a handle that joins others. */
enum memplan_status cli_session_add_proof(
	struct session *session, const struct arguments *arguments);

/* Gives back what memory of the input's bytes there can be, once the handle has
 * read them. They can still be looked at. */
void cli_session_page_out(const struct session *session);

/* Runs memplan_plan(), with its progress shown. */
enum memplan_status cli_session_plan(
	struct session *session, const struct arguments *arguments);

/* Opens a handle, plans, and tells what there is to tell. Closed on failure. */
enum memplan_status cli_session_planned(struct session *session,
	const struct arguments *arguments, const char *input);

/* Prints the error and the new warnings of a handle; returns its status. */
enum memplan_status cli_session_tell(struct session *session,
	const struct arguments *arguments, enum memplan_status status);

/* A number of the handle; 0: it has none of that name. */
uint64_t cli_session_number(const struct session *session, const char *name);

/* Names the rows of a table on stderr, to the end of a line. */
void cli_print_rows(const char *table);

/* Prints bytes on stdout. */
enum memplan_status cli_print(const void *bytes, size_t length);

/* Prints a report of the handle on stdout. */
enum memplan_status cli_session_print(
	struct session *session, const char *report);

/* Makes an output of the handle and writes it beside its place. On failure
 * prints why. */
enum memplan_status cli_session_draft(struct session *session,
	const struct arguments *arguments, const struct output *output,
	struct drafts *drafts);

/* Runs a whole command of one input: writes its outputs and prints its report,
 * which has the command's name, with -json behind it for --json. */
enum memplan_status cli_session_report(const struct arguments *arguments,
	const char *command,
	enum memplan_status (*work)(
		struct session *session, const struct arguments *arguments));

/* --------------------------------------------------------- terminal */

struct progress {
	bool terminal, shown;
	long long drawn; /* when, in milliseconds */
};

/* From here to the end shows the handle's progress, if the options ask for it.
 */
void cli_progress_begin(struct progress *progress,
	const struct arguments *arguments, memplan *plan);
void cli_progress_end(struct progress *progress, memplan *plan);

/* Progress of work on many plans: begins, shows a line, unless one was shown
 * just now, and erases it. */
bool cli_progress_open(
	struct progress *progress, const struct arguments *arguments);
void cli_progress_show(struct progress *progress, const char *text);
void cli_progress_close(const struct progress *progress);

/* True if stderr gets colour: --color decides, else NO_COLOR and whether it is
 * a terminal. */
bool cli_color(const struct arguments *arguments);

#endif
