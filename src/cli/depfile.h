/*
 * The dependency file of a run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_DEPFILE_H
#define MP_CLI_DEPFILE_H

#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/session.h"

/* If --depfile is given, is there a file that depends on another one? Else
 * prints why not and returns false. */
bool cli_depfile_check(const struct arguments *arguments);

/* Drafts the file: all files that were written depend on all files that were
 * read. On failure prints why and returns false. */
bool cli_depfile_write(const struct session *session,
	const struct arguments *arguments, struct draft *draft);

#endif
