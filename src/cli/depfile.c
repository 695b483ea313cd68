/*
 * Dependencies for make and ninja: files written, a colon, files read. Names
 * are escaped as compilers do it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/depfile.h"

#include <string.h>

#include "base/sink-text.h"

/* Neither make nor ninja has an escape for these. Behind ';' make reads a
 * command, and '=' sets a variable such as SHELL. */
static bool can_stand(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f ||
			strchr(";=|%", *name))
			return *name == '\t';
	return true;
}

bool cli_depfile_check(const struct paths *files)
{
	const char *name;

	for (uint32_t i = 0; (name = cli_paths_name(files, i)); i++)
		if (!can_stand(name)) {
			cli_usage("--depfile: '%s' cannot stand there: make "
				  "has no escape for a control character, a "
				  "semicolon or one of =|%%",
				name);
			return false;
		}
	return true;
}

/* A backslash needs an escape only in front of a character that needs one. */
static void put_name(struct sink *sink, const char *name)
{
	size_t backslashes = 0;

	for (; *name; name++) {
		if (*name == ' ' || *name == '\t')
			for (size_t i = 0; i <= backslashes; i++)
				mp_sink_text(sink, "\\");
		else if (*name == '#' || *name == ':')
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
		if (!cli_output_is_file(&arguments->outputs[i]))
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

enum memplan_status cli_depfile_write(const struct session *session,
	const struct arguments *arguments, struct drafts *drafts)
{
	struct error error = {0};
	struct sink sink = {.error = &error};
	enum memplan_status status;

	put_all(&sink, session, arguments);
	status =
		error.code == MEMPLAN_OK
			? cli_drafts_add(drafts, arguments->values[OPT_DEPFILE],
				  sink.bytes, sink.length)
			: cli_out_of_memory();
	mp_sink_free(&sink);
	return status;
}
