/*
 * memplan simulate INPUT: bytes that online allocators would need.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "memplan/report.h"

/* Formats of --timeline; a name without a suffix is CSV. */
static const struct {
	const char *suffix, *format;
} timelines[] = {
	{"", "timeline"},
	{".csv", "timeline"},
	{".svg", "timeline-svg"},
};

static bool choose_format(struct output *output)
{
	const char *slash = strrchr(output->name, '/');
	const char *suffix = strrchr(slash ? slash : output->name, '.');

	for (size_t i = 0; i < sizeof(timelines) / sizeof(*timelines); i++)
		if (strcmp(suffix ? suffix : "", timelines[i].suffix) == 0) {
			output->format = timelines[i].format;
			return true;
		}
	cli_usage("--timeline: '%s' is neither .csv nor .svg", output->name);
	return false;
}

static bool check_usage(const struct arguments *arguments)
{
	if (arguments->n_inputs != 1)
		return cli_usage("simulate takes one input"), false;
	if (arguments->values[OPT_SWAP] && arguments->n_outputs > 0)
		return cli_usage("--timeline goes without --swap"), false;
	for (uint32_t i = 0; i < arguments->n_outputs; i++)
		if (!choose_format(&arguments->outputs[i]))
			return false;
	return true;
}

static enum memplan_status write_timeline(struct session *session,
	const struct output *output, struct arena *arena)
{
	struct draft draft = {0};
	const void *bytes;
	size_t length;
	enum memplan_status status =
		memplan_write(session->plan, output->format, &bytes, &length);

	if (status != MEMPLAN_OK) {
		fprintf(stderr, "%s\n", memplan_error(session->plan));
		return status;
	}
	if (!cli_draft_write(&draft, output->name, bytes, length, arena))
		return MEMPLAN_EIO;
	return cli_draft_commit(&draft) ? MEMPLAN_OK : MEMPLAN_EIO;
}

static enum memplan_status simulate(
	struct session *session, const struct arguments *arguments)
{
	if (arguments->values[OPT_SWAP])
		return memplan_simulate_swap(session->plan);
	return memplan_simulate(session->plan, arguments->n_outputs > 0);
}

static enum memplan_status report(
	struct session *session, const struct arguments *arguments)
{
	bool swap = arguments->values[OPT_SWAP] != NULL;
	enum memplan_status status =
		cli_session_run(session, arguments, simulate);

	cli_session_tell(session, arguments, status);
	for (uint32_t i = 0; status == MEMPLAN_OK && i < arguments->n_outputs;
		i++)
		status = write_timeline(
			session, &arguments->outputs[i], arguments->arena);
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

	if (!check_usage(arguments))
		return MEMPLAN_EUSAGE;
	status = cli_session_open(&session, arguments, arguments->inputs[0]);
	if (status != MEMPLAN_OK)
		return status;
	status = report(&session, arguments);
	cli_session_close(&session);
	return status;
}
