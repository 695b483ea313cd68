/*
 * memplan simulate INPUT: what online allocators would have needed.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/session.h"

static enum memplan_status write_timeline(
	struct session *session, const char *name)
{
	struct draft draft = {0};
	const void *bytes;
	size_t length;
	enum memplan_status status =
		memplan_write(session->plan, "timeline", &bytes, &length);

	if (status != MEMPLAN_OK)
		return status;
	if (!cli_draft_write(&draft, name, bytes, length))
		return MEMPLAN_EIO;
	return cli_draft_commit(&draft) ? MEMPLAN_OK : MEMPLAN_EIO;
}

static enum memplan_status report(
	struct session *session, const struct arguments *arguments)
{
	const char *timeline = arguments->values[OPT_TIMELINE];
	bool swap = arguments->values[OPT_SWAP] != NULL;
	enum memplan_status status =
		swap ? memplan_simulate_swap(session->plan)
		     : memplan_simulate(session->plan, timeline != NULL);

	cli_session_tell(session, arguments, status);
	if (status == MEMPLAN_OK && timeline)
		status = write_timeline(session, timeline);
	if (status != MEMPLAN_OK)
		return status;
	if (arguments->values[OPT_JSON])
		return cli_session_print(
			session, swap ? "swap-json" : "simulate-json");
	if (arguments->values[OPT_QUIET])
		return MEMPLAN_OK;
	return cli_session_print(session, swap ? "swap" : "simulate");
}

enum memplan_status cli_simulate(const struct arguments *arguments)
{
	struct session session;
	enum memplan_status status;

	if (arguments->n_inputs != 1) {
		fputs("memplan: simulate takes one input\n", stderr);
		return MEMPLAN_EUSAGE;
	}
	if (arguments->values[OPT_SWAP] && arguments->values[OPT_TIMELINE]) {
		fputs("memplan: --timeline goes without --swap\n", stderr);
		return MEMPLAN_EUSAGE;
	}
	status = cli_session_open(&session, arguments, arguments->inputs[0]);
	if (status != MEMPLAN_OK)
		return status;
	status = report(&session, arguments);
	cli_session_close(&session);
	return status;
}
