/*
 * memplan plan INPUT... [-o FILE]...: plans graphs, and writes the plans and
 * what they depend on.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/num.h"
#include "base/sink-text.h"
#include "cli/commands.h"
#include "cli/depfile.h"
#include "cli/signals.h"

static bool parse_ratio(const char *text, double *ratio)
{
	char *end;

	*ratio = strtod(text, &end);
	return strspn(text, "0123456789.") == strlen(text) && end != text &&
	       *end == '\0';
}

/* The names of formats can be checked before planning, so that a wrong one
 * costs no time. */
static enum memplan_status check_formats(const struct arguments *arguments)
{
	memplan *none = memplan_new();
	const void *bytes;
	size_t length;
	bool known = true;

	if (!none)
		return cli_out_of_memory();
	for (uint32_t i = 0; known && i < arguments->n_outputs; i++)
		known = memplan_write(none, arguments->outputs[i].format,
				&bytes, &length) != MEMPLAN_EUSAGE;
	if (!known)
		cli_usage("%s", memplan_error(none));
	memplan_free(none);
	return known ? MEMPLAN_OK : MEMPLAN_EUSAGE;
}

/* No file that is written is one that is read, or written twice. */
static bool check_files(const struct arguments *arguments)
{
	struct paths paths = {.arena = arguments->arena};
	const char *depfile = arguments->values[OPT_DEPFILE];

	return cli_session_list(arguments, &paths) &&
	       (!depfile || (cli_paths_write(&paths, depfile) &&
				    cli_depfile_check(&paths)));
}

/* An option that only a race of seeds has, or NULL. */
static const char *race_option(const struct arguments *arguments)
{
	static const struct {
		enum option_id id;
		const char *spelled;
	} options[] = {
		{OPT_STORE, "--store"},
		{OPT_SHARD, "--shard"},
		{OPT_J, "-j"},
		{OPT_MERGE, "--merge"},
	};

	for (size_t i = 0; i < countof(options); i++)
		if (arguments->values[options[i].id])
			return options[i].spelled;
	return NULL;
}

static enum memplan_status check_usage(const struct arguments *arguments)
{
	double ratio;
	const char *limit = arguments->values[OPT_MAX_RATIO];

	if (arguments->n_inputs == 0)
		cli_usage("plan what? Name an input file.");
	else if (arguments->n_inputs > 1 && arguments->n_outputs > 0 &&
		 !cli_value(arguments, "together"))
		cli_usage("-o takes one input at a time, or several "
			  "--together");
	else if (arguments->values[OPT_JSON] &&
		 cli_count_files(arguments) < arguments->n_outputs)
		cli_usage("--json and -o - both want stdout");
	else if (limit && !parse_ratio(limit, &ratio))
		cli_usage("--max-ratio: '%s' is not a number like 1.05", limit);
	else if (arguments->values[OPT_DEPFILE] &&
		 cli_count_files(arguments) == 0)
		cli_usage("--depfile needs a file written with -o");
	else if (arguments->n_outputs > cli_count_files(arguments) + 1)
		cli_usage("several outputs want stdout");
	else if (!arguments->values[OPT_SEEDS] && race_option(arguments))
		cli_usage("%s goes with --seeds", race_option(arguments));
	else
		return check_formats(arguments);
	return MEMPLAN_EUSAGE;
}

/* ---------------------------------------------------------- outputs */

/* Writes every file beside its place before it moves the first to its place. */
static enum memplan_status write_drafts(struct session *session,
	const struct arguments *arguments, struct drafts *drafts)
{
	enum memplan_status status = MEMPLAN_OK;

	for (uint32_t i = 0; status == MEMPLAN_OK && i < arguments->n_outputs;
		i++)
		status = cli_session_draft(
			session, arguments, &arguments->outputs[i], drafts);
	if (status == MEMPLAN_OK && arguments->values[OPT_DEPFILE])
		status = cli_depfile_write(session, arguments, drafts);
	return status;
}

static enum memplan_status write_outputs(
	struct session *session, const struct arguments *arguments)
{
	struct drafts drafts = {.arena = arguments->arena};
	enum memplan_status status = write_drafts(session, arguments, &drafts);

	if (status == MEMPLAN_OK)
		return cli_drafts_commit(&drafts);
	cli_drafts_discard(&drafts);
	return status;
}

/* ---------------------------------------------------------- verdict */

static enum memplan_status check_ratio(
	const struct session *session, const char *limit)
{
	uint64_t arena = cli_session_number(session, "arena_size");
	uint64_t least = cli_session_number(session, "theoretical_min");
	double ratio;

	if (!parse_ratio(limit, &ratio) ||
		(double)arena <= ratio * (double)least)
		return MEMPLAN_OK;
	cli_say("%s: arena of %llu byte%s is more than %s times the "
		"theoretical minimum of %llu\n",
		memplan_text(session->plan, "name"), (unsigned long long)arena,
		mp_text_plural(arena), limit, (unsigned long long)least);
	return MEMPLAN_NO;
}

static bool has_plan(const struct session *session)
{
	uint64_t arena;

	return memplan_number(session->plan, "arena_size", &arena);
}

/* Only a complete run writes files. A plan that misses its capacity is reported
 * and not written. */
enum memplan_status cli_plan_finish(struct session *session,
	const struct arguments *arguments, enum memplan_status status)
{
	enum memplan_status written = MEMPLAN_OK, printed = MEMPLAN_OK;
	bool json = arguments->values[OPT_JSON] != NULL;

	cli_session_tell(session, arguments, status);
	if (status == MEMPLAN_OK)
		written = write_outputs(session, arguments);
	if (written == MEMPLAN_OK)
		cli_session_tell(session, arguments, MEMPLAN_OK);
	if (written != MEMPLAN_OK)
		return written;
	if (has_plan(session) &&
		(json || (!arguments->values[OPT_QUIET] &&
				 cli_count_files(arguments) ==
					 arguments->n_outputs)))
		printed =
			cli_session_print(session, json ? "result" : "summary");
	if (status == MEMPLAN_OK && arguments->values[OPT_MAX_RATIO])
		status = check_ratio(session, arguments->values[OPT_MAX_RATIO]);
	return printed != MEMPLAN_OK ? printed : status;
}

static enum memplan_status plan_one(
	const struct arguments *arguments, const char *input)
{
	struct session session;
	enum memplan_status status =
		cli_session_open(&session, arguments, input);

	if (status != MEMPLAN_OK)
		return status;
	status = memplan_read(session.plan);
	if (status == MEMPLAN_OK) {
		cli_session_page_out(&session);
		cli_signals_running(session.plan);
		status = cli_session_plan(&session, arguments);
		cli_signals_running(NULL);
	}
	status = cli_plan_finish(&session, arguments, status);
	cli_session_close(&session);
	return status;
}

/* Plans several inputs in turn. The worst status is the exit status. */
enum memplan_status cli_plan(const struct arguments *arguments)
{
	enum memplan_status worst = check_usage(arguments), status;

	if (worst != MEMPLAN_OK)
		return worst;
	if (!check_files(arguments))
		return MEMPLAN_EUSAGE;
	if (arguments->values[OPT_SEEDS])
		return cli_plan_seeds(arguments);
	if (cli_value(arguments, "together"))
		return cli_plan_together(arguments);
	for (uint32_t i = 0; i < arguments->n_inputs && !cli_signals_came();
		i++) {
		status = plan_one(arguments, arguments->inputs[i]);
		worst = status > worst ? status : worst;
	}
	return worst;
}
