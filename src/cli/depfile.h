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

/* If one is wanted, is there a file that depends on something? Else prints
 * why not. */
bool cli_depfile_check(const struct arguments *arguments);

/* Drafts it: all files that were written depend on all that were read. On
 * failure prints why; false. */
bool cli_depfile_write(const struct session *session,
	const struct arguments *arguments, struct draft *draft);

#endif
