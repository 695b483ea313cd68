/*
 * Dependencies for make and ninja: files written, a colon, files read. Names
 * are escaped as compilers do it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

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

static bool is_file(const char *name)
{
	return strcmp(name, "-") != 0;
}

static void put_targets(struct sink *sink, const struct arguments *arguments)
{
	const char *between = "";

	for (uint32_t i = 0; i < arguments->n_outputs; i++) {
		if (!is_file(arguments->outputs[i].name))
			continue;
		mp_sink_text(sink, between);
		put_name(sink, arguments->outputs[i].name);
		between = " ";
	}
	mp_sink_text(sink, ":");
}

static void put_all(struct sink *sink, const struct session *session,
	const struct arguments *arguments)
{
	put_targets(sink, arguments);
	for (; session; session = session->next)
		for (uint32_t i = 0; i < session->n_files; i++) {
			if (session->files[i].is_stdin)
				continue;
			mp_sink_text(sink, " ");
			put_name(sink, session->files[i].name);
		}
	mp_sink_text(sink, "\n");
}

bool cli_depfile_check(const struct arguments *arguments)
{
	bool has_target = false;

	for (uint32_t i = 0; i < arguments->n_outputs; i++)
		has_target |= is_file(arguments->outputs[i].name);
	if (has_target || !arguments->values[OPT_DEPFILE])
		return true;
	cli_usage("--depfile needs a file written with -o");
	return false;
}

bool cli_depfile_write(const struct session *session,
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
