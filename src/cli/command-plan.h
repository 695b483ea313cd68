/*
 * What planning one input and planning several together have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_COMMAND_PLAN_H
#define MP_CLI_COMMAND_PLAN_H

#include "cli/session.h"

/* Signals now interrupt this handle; NULL: none. */
void cli_plan_running(memplan *plan);

/* Tells what became of a plan, writes its files and prints its summary. */
enum memplan_status cli_plan_finish(struct session *session,
	const struct arguments *arguments, enum memplan_status status);

/* All inputs in one arena. */
enum memplan_status cli_plan_together(const struct arguments *arguments);

#endif
