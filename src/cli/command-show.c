/*
 * memplan show INPUT: what is in a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/commands.h"
#include "memplan/report.h"

static enum memplan_status survey(
	struct session *session, const struct arguments *arguments)
{
	(void)arguments;
	return memplan_survey(session->plan);
}

enum memplan_status cli_show(const struct arguments *arguments)
{
	return cli_session_report(arguments, "show", survey);
}
