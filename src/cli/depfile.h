/*
 * Dependencies for make and ninja: all files that were written depend on all
 * files that were read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_DEPFILE_H
#define MP_CLI_DEPFILE_H

#include "cli/paths.h"
#include "cli/session.h"

/* Can all files stand there? A newline would end a rule, and so on: make would
 * run what a name says. Prints the first that cannot. */
bool cli_depfile_check(const struct paths *files);

/* Adds the file to the drafts. On failure prints why. */
enum memplan_status cli_depfile_write(const struct session *session,
	const struct arguments *arguments, struct drafts *drafts);

#endif
