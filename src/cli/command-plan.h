/*
 * What planning one input and planning several together have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_COMMAND_PLAN_H
#define MP_CLI_COMMAND_PLAN_H

#include "cli/session.h"

/* The handle that signals interrupt from now on; NULL: none. */
void cli_plan_running(memplan *plan);

/* Prints the result of a plan, writes its files and prints its summary. */
enum memplan_status cli_plan_finish(struct session *session,
	const struct arguments *arguments, enum memplan_status status);

/* Plans all inputs in one arena. */
enum memplan_status cli_plan_together(const struct arguments *arguments);

#endif
