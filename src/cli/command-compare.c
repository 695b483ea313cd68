/*
 * memplan compare OLD NEW: what grew, and by how much. A plan keeps its
 * offsets; a graph has none and is planned. With OLD alone, compares its
 * offsets with memplan's own.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "cli/commands.h"
#include "memplan/report.h"

static const char *report_of(const struct arguments *arguments)
{
	if (arguments->values[OPT_JSON])
		return "json";
	return arguments->values[OPT_MARKDOWN] ? "markdown" : "text";
}

static enum memplan_status print(const struct arguments *arguments,
	const struct session *before, struct session *after)
{
	const char *report = report_of(arguments);
	const void *bytes = NULL;
	size_t length = 0;
	enum memplan_status status = memplan_compare(
		before->plan, after->plan, report, &bytes, &length);

	if (status != MEMPLAN_OK)
		return cli_session_tell(after, arguments, status);
	return cli_print(bytes, length);
}

/* What a file of that name is; NULL: it is none of these. */
static const char *report_for(const char *name)
{
	static const struct {
		const char *suffix, *report;
	} files[] = {
		{".html", "html"},
		{".json", "json"},
		{".md", "markdown"},
	};
	const char *suffix = strrchr(name, '.');

	for (size_t i = 0; suffix && i < sizeof(files) / sizeof(*files); i++)
		if (strcmp(suffix, files[i].suffix) == 0)
			return files[i].report;
	cli_usage("'%s' is neither .html nor .json nor .md", name);
	return NULL;
}

static bool check_outputs(const struct arguments *arguments)
{
	for (uint32_t i = 0; i < arguments->n_outputs; i++)
		if (!report_for(arguments->outputs[i].name))
			return false;
	return true;
}

/* Makes a report and writes it beside its place. */
static enum memplan_status save(const struct arguments *arguments,
	const char *name, const struct session *before, struct session *after,
	struct drafts *drafts)
{
	const void *bytes = NULL;
	size_t length = 0;
	enum memplan_status status = memplan_compare(
		before->plan, after->plan, report_for(name), &bytes, &length);

	if (status != MEMPLAN_OK)
		return cli_session_tell(after, arguments, status);
	return cli_drafts_add(drafts, name, bytes, length);
}

static enum memplan_status verdict(
	const struct session *before, const struct session *after)
{
	return cli_session_number(after, "arena_size") >
			       cli_session_number(before, "arena_size")
		       ? MEMPLAN_NO
		       : MEMPLAN_OK;
}

/* Opens both, or none. */
static enum memplan_status open_both(const struct arguments *of_before,
	const struct arguments *of_after, const char *input,
	struct session *before, struct session *after)
{
	enum memplan_status status =
		cli_session_planned(before, of_before, of_before->inputs[0]);

	if (status != MEMPLAN_OK)
		return status;
	status = cli_session_planned(after, of_after, input);
	if (status != MEMPLAN_OK)
		cli_session_close(before);
	return status;
}

/* Compares the plan that one input carries with the plan that memplan makes of
 * it. */
static enum memplan_status open_both_of_one(const struct arguments *arguments,
	struct session *before, struct session *after)
{
	struct arguments given = *arguments, own = *arguments;

	if (strcmp(arguments->inputs[0], "-") == 0)
		return cli_usage("compare reads a single input twice: give it "
				 "a file, not standard input");
	cli_set_value(&given, "planner", "given");
	cli_set_value(&given, "replan", NULL);
	cli_set_value(&own, "replan", "");
	own.values[OPT_QUIET] = ""; /* its warnings have been printed */
	return open_both(&given, &own, arguments->inputs[0], before, after);
}

static enum memplan_status open_two(const struct arguments *arguments,
	struct session *before, struct session *after)
{
	if (arguments->values[OPT_SOLUTION])
		return cli_usage(
			"compare takes --solution with a single input");
	return open_both(
		arguments, arguments, arguments->inputs[1], before, after);
}

enum memplan_status cli_compare(const struct arguments *arguments)
{
	struct drafts drafts = {.arena = arguments->arena};
	struct paths paths = {.arena = arguments->arena};
	struct session before = {0}, after = {0};
	enum memplan_status status;

	if (arguments->n_inputs != 1 && arguments->n_inputs != 2)
		return cli_usage("compare takes an old plan and a new one, or "
				 "one with offsets to be set against "
				 "memplan's own");
	if (arguments->values[OPT_JSON] && arguments->values[OPT_MARKDOWN])
		return cli_usage("compare takes --json or --markdown, not "
				 "both");
	if (!check_outputs(arguments) || !cli_session_list(arguments, &paths))
		return MEMPLAN_EUSAGE;
	status = arguments->n_inputs == 1
			 ? open_both_of_one(arguments, &before, &after)
			 : open_two(arguments, &before, &after);
	if (status != MEMPLAN_OK)
		return status;
	for (uint32_t i = 0; status == MEMPLAN_OK && i < arguments->n_outputs;
		i++)
		status = save(arguments, arguments->outputs[i].name, &before,
			&after, &drafts);
	if (status == MEMPLAN_OK)
		status = cli_drafts_commit(&drafts);
	cli_drafts_discard(&drafts);
	if (status == MEMPLAN_OK &&
		(!arguments->values[OPT_QUIET] || arguments->values[OPT_JSON]))
		status = print(arguments, &before, &after);
	if (status == MEMPLAN_OK)
		status = verdict(&before, &after);
	cli_session_close(&after);
	cli_session_close(&before);
	return status;
}
