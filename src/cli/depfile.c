/*
 * Dependencies for make and ninja: files written, a colon, files read. Names
 * are escaped as compilers do it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/depfile.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
	char *bytes; /* NULL: the first pass only measures */
	size_t length;
};

static void put(struct text *text, char c)
{
	if (text->bytes)
		text->bytes[text->length] = c;
	text->length++;
}

/* A backslash needs an escape only in front of a character that needs one. */
static void put_name(struct text *text, const char *name)
{
	size_t backslashes = 0;

	for (; *name; name++) {
		if (*name == ' ' || *name == '\t')
			for (size_t i = 0; i <= backslashes; i++)
				put(text, '\\');
		else if (*name == '#')
			put(text, '\\');
		else if (*name == '$')
			put(text, '$');
		backslashes = *name == '\\' ? backslashes + 1 : 0;
		put(text, *name);
	}
}

static bool is_file(const char *name)
{
	return strcmp(name, "-") != 0;
}

static void put_targets(struct text *text, const struct arguments *arguments)
{
	const char *between = "";

	for (uint32_t i = 0; i < arguments->n_outputs; i++) {
		if (!is_file(arguments->outputs[i].name))
			continue;
		if (*between)
			put(text, *between);
		put_name(text, arguments->outputs[i].name);
		between = " ";
	}
	put(text, ':');
}

static void put_all(struct text *text, const struct session *session,
	const struct arguments *arguments)
{
	put_targets(text, arguments);
	for (; session; session = session->next)
		for (uint32_t i = 0; i < session->n_files; i++) {
			if (session->files[i].is_stdin)
				continue;
			put(text, ' ');
			put_name(text, session->files[i].name);
		}
	put(text, '\n');
}

bool cli_depfile_check(const struct arguments *arguments)
{
	bool has_target = false;

	for (uint32_t i = 0; i < arguments->n_outputs; i++)
		has_target |= is_file(arguments->outputs[i].name);
	if (has_target || !arguments->values[OPT_DEPFILE])
		return true;
	fputs("memplan: --depfile needs a file written with -o\n", stderr);
	return false;
}

bool cli_depfile_write(const struct session *session,
	const struct arguments *arguments, struct draft *draft)
{
	struct text text = {NULL, 0};
	size_t length;
	bool fine;

	put_all(&text, session, arguments);
	text.bytes = malloc(text.length);
	if (!text.bytes)
		return fputs("memplan: out of memory\n", stderr), false;
	length = text.length;
	text.length = 0;
	put_all(&text, session, arguments);
	assert(text.length == length);
	(void)length;
	fine = cli_draft_write(
		draft, arguments->values[OPT_DEPFILE], text.bytes, text.length);
	free(text.bytes);
	return fine;
}
