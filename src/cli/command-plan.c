/*
 * memplan plan INPUT... [-o FILE]...: plans graphs, and writes the plans and
 * what they depend on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/commands.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sink-text.h"

/* A signal interrupts this handle: a planner then returns its best plan. */
static memplan *volatile running;

void cli_plan_running(memplan *plan)
{
	running = plan;
}

static void stop(int signal_number)
{
	(void)signal_number;
	if (running)
		memplan_interrupt(running);
}

static bool parse_ratio(const char *text, double *ratio)
{
	char *end;

	*ratio = strtod(text, &end);
	return end != text && *end == '\0' && *ratio >= 0 && *ratio < 1e9;
}

/* The names of formats can be checked before planning, so that a wrong one
 * costs no time. */
static bool formats_known(const struct arguments *arguments)
{
	memplan *none = memplan_new();
	const void *bytes;
	size_t length;
	bool known = none != NULL;

	for (uint32_t i = 0; known && i < arguments->n_outputs; i++)
		known = memplan_write(none, arguments->outputs[i].format,
				&bytes, &length) != MEMPLAN_EUSAGE;
	if (!known)
		cli_usage("%s", none ? memplan_error(none) : "out of memory");
	memplan_free(none);
	return known;
}

static bool is_file(const struct output *output)
{
	return strcmp(output->name, "-") != 0;
}

/* Outputs that are files; the others go to stdout. */
static uint32_t count_files(const struct arguments *arguments)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < arguments->n_outputs; i++)
		n += is_file(&arguments->outputs[i]);
	return n;
}

static bool check_usage(const struct arguments *arguments)
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
		 count_files(arguments) < arguments->n_outputs)
		cli_usage("--json and -o - both want stdout");
	else if (limit && !parse_ratio(limit, &ratio))
		cli_usage("--max-ratio: '%s' is not a number", limit);
	else if (arguments->values[OPT_DEPFILE] && count_files(arguments) == 0)
		cli_usage("--depfile needs a file written with -o");
	else
		return formats_known(arguments);
	return false;
}

/* ---------------------------------------------------------- depfile */

/* Dependencies for make and ninja: files written, a colon, files read. Names
 * are escaped as compilers do it. */

/* A backslash needs an escape only in front of a character that needs one. */
static void put_name(struct sink *sink, const char *name)
{
	size_t backslashes = 0;

	for (; *name; name++) {
		if (*name == ' ' || *name == '\t')
			for (size_t i = 0; i <= backslashes; i++)
				mp_sink_text(sink, "\\");
		else if (*name == '#')
			mp_sink_text(sink, "\\");
		else if (*name == '$')
			mp_sink_text(sink, "$");
		backslashes = *name == '\\' ? backslashes + 1 : 0;
		mp_sink_write(sink, name, 1);
	}
}

static void put_all(struct sink *sink, const struct session *session,
	const struct arguments *arguments)
{
	const char *between = "";

	for (uint32_t i = 0; i < arguments->n_outputs; i++) {
		if (!is_file(&arguments->outputs[i]))
			continue;
		mp_sink_text(sink, between);
		put_name(sink, arguments->outputs[i].name);
		between = " ";
	}
	mp_sink_text(sink, ":");
	for (; session; session = session->next)
		for (uint32_t i = 0; i < session->n_files; i++) {
			if (session->files[i].is_stdin)
				continue;
			mp_sink_text(sink, " ");
			put_name(sink, session->files[i].name);
		}
	mp_sink_text(sink, "\n");
}

/* Drafts the file: all files that were written depend on all files that were
 * read. On failure prints why and returns false. */
static bool write_depfile(const struct session *session,
	const struct arguments *arguments, struct draft *draft)
{
	struct error error = {0};
	struct sink sink = {.error = &error};
	bool fine;

	put_all(&sink, session, arguments);
	if (error.code != MEMPLAN_OK)
		return cli_out_of_memory(), false;
	fine = cli_draft_write(draft, arguments->values[OPT_DEPFILE],
		sink.bytes, sink.length, arguments->arena);
	mp_sink_free(&sink);
	return fine;
}

/* ---------------------------------------------------------- outputs */

/* Writes every file beside its place before it moves the first to its place. */
static enum memplan_status write_drafts(struct session *session,
	const struct arguments *arguments, struct draft *drafts)
{
	enum memplan_status status;

	for (uint32_t i = 0; i < arguments->n_outputs; i++) {
		status = cli_session_draft(
			session, arguments, &arguments->outputs[i], &drafts[i]);
		if (status != MEMPLAN_OK)
			return status;
	}
	if (arguments->values[OPT_DEPFILE] &&
		!write_depfile(
			session, arguments, &drafts[arguments->n_outputs]))
		return MEMPLAN_EIO;
	return MEMPLAN_OK;
}

static enum memplan_status write_outputs(
	struct session *session, const struct arguments *arguments)
{
	struct draft *drafts =
		NEW(arguments->arena, struct draft, arguments->n_outputs + 1u);
	enum memplan_status status;

	if (!drafts)
		return cli_out_of_memory();
	status = write_drafts(session, arguments, drafts);
	for (uint32_t i = 0; i <= arguments->n_outputs; i++)
		if (status != MEMPLAN_OK)
			cli_draft_discard(&drafts[i]);
		else if (!cli_draft_commit(&drafts[i]))
			status = MEMPLAN_EIO;
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
	fprintf(stderr,
		"%s: arena of %llu byte%s is more than %s times the "
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
				 count_files(arguments) ==
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
	running = session.plan;
	status = memplan_read(session.plan);
	if (status == MEMPLAN_OK) {
		cli_session_page_out(&session);
		status = cli_session_plan(&session, arguments);
	}
	status = cli_plan_finish(&session, arguments, status);
	running = NULL;
	cli_session_close(&session);
	return status;
}

/* Plans several inputs in turn. The worst status is the exit status. */
enum memplan_status cli_plan(const struct arguments *arguments)
{
	enum memplan_status worst = MEMPLAN_OK, status;

	if (!check_usage(arguments))
		return MEMPLAN_EUSAGE;
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	if (cli_value(arguments, "together"))
		return cli_plan_together(arguments);
	for (uint32_t i = 0; i < arguments->n_inputs; i++) {
		status = plan_one(arguments, arguments->inputs[i]);
		worst = status > worst ? status : worst;
	}
	return worst;
}
