/*
 * memplan show INPUT: what is in a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/session.h"

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
	status = memplan_survey(session.plan);
	cli_session_tell(&session, arguments, status);
	if (status == MEMPLAN_OK)
		status = cli_session_print(
			&session, json ? "show-json" : "show");
	cli_session_close(&session);
	return status;
}
