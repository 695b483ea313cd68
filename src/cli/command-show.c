/*
 * memplan show INPUT: what is in a graph. memplan explain INPUT: what binds the
 * peak, and what would lower it.
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

static enum memplan_status explain(
	struct session *session, const struct arguments *arguments)
{
	return memplan_explain(
		session->plan, arguments->values[OPT_PAIR], arguments->other);
}

enum memplan_status cli_explain(const struct arguments *arguments)
{
	return cli_session_report(arguments, "explain", explain);
}
