/*
 * Commands that print a report of one input: memplan show, what is in a graph;
 * memplan explain, what binds the peak, and what would lower it; memplan
 * simulate, bytes that online allocators would need.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/system.h"
#include "memplan/report.h"

static enum memplan_status survey(
	struct session *session, const struct arguments *arguments)
{
	(void)arguments;
	return memplan_survey(session->plan);
}

enum memplan_status cli_show(const struct arguments *arguments)
{
	const char *chart =
		cli_system_is_utf8() ? "show-chart" : "show-chart-ascii";

	if (arguments->values[OPT_CHART] && arguments->values[OPT_JSON])
		return cli_usage("show takes --chart or --json, not both");
	if (arguments->values[OPT_CHART] && arguments->n_inputs == 1)
		return cli_session_report(arguments, chart, survey);
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

/* --------------------------------------------------------- simulate */

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
	const char *suffix =
		strrchr(output->name + cli_paths_folder(output->name), '.');

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
	uint32_t n_files = cli_count_files(arguments);

	if (arguments->n_inputs != 1)
		return cli_usage("simulate takes one input"), false;
	if (arguments->values[OPT_SWAP] && arguments->n_outputs > 0)
		return cli_usage("--timeline goes without --swap"), false;
	if (arguments->values[OPT_JSON] && n_files < arguments->n_outputs)
		return cli_usage("--json and --timeline - both want stdout"),
		       false;
	if (arguments->n_outputs > n_files + 1)
		return cli_usage("several outputs want stdout"), false;
	for (uint32_t i = 0; i < arguments->n_outputs; i++)
		if (!choose_format(&arguments->outputs[i]))
			return false;
	return true;
}

static enum memplan_status simulate(
	struct session *session, const struct arguments *arguments)
{
	if (arguments->values[OPT_SWAP])
		return memplan_simulate_swap(session->plan);
	return memplan_simulate(session->plan, arguments->n_outputs > 0);
}

enum memplan_status cli_simulate(const struct arguments *arguments)
{
	if (!check_usage(arguments))
		return MEMPLAN_EUSAGE;
	return cli_session_report(arguments,
		arguments->values[OPT_SWAP] ? "swap" : "simulate", simulate);
}
