/*
 * memplan show INPUT: what is in a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/session.h"

static enum memplan_status survey(
	struct session *session, const struct arguments *arguments)
{
	(void)arguments;
	return memplan_survey(session->plan);
}

enum memplan_status cli_show(const struct arguments *arguments)
{
	bool json = arguments->values[OPT_JSON] != NULL;
	struct session session;
	enum memplan_status status;

	if (arguments->n_inputs != 1) {
		fputs("memplan: show takes one input\n", stderr);
		return MEMPLAN_EUSAGE;
	}
	status = cli_session_open(&session, arguments, arguments->inputs[0]);
	if (status != MEMPLAN_OK)
		return status;
	status = cli_session_run(&session, arguments, survey);
	cli_session_tell(&session, arguments, status);
	if (status == MEMPLAN_OK && (json || !arguments->values[OPT_QUIET]))
		status = cli_session_print(
			&session, json ? "show-json" : "show");
	cli_session_close(&session);
	return status;
}
