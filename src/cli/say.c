/*
 * Sentences on stderr: see say.h. Editors and CI logs parse messages of
 * compilers: a place (FILE, FILE:LINE or FILE:LINE:COLUMN), then "error: " or
 * "warning: ", then a sentence. The sentence begins with a JSON Pointer if
 * there is one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sink-text.h"

enum {
	LONGEST = 8192, /* a name of a file has at most 4095 bytes */
};

MP_PRINTF(3, 0)
static void say(
	FILE *file, const char *front, const char *format, va_list arguments)
{
	char text[LONGEST];
	size_t length, newlines = 0;

	vsnprintf(text, sizeof(text), format, arguments);
	length = strlen(text);
	while (length > 0 && text[length - 1] == '\n') {
		text[--length] = '\0';
		newlines++;
	}
	mp_text_clean(text);
	fprintf(file, "%s%s%s", front,
		mp_text_is_command(text) ? "memplan: " : "", text);
	while (newlines-- > 0)
		fputc('\n', file);
}

void cli_say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(stderr, "", format, arguments);
	va_end(arguments);
}

void cli_say_out(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(stdout, "", format, arguments);
	va_end(arguments);
}

enum memplan_status cli_usage(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(stderr, "memplan: ", format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return MEMPLAN_EUSAGE;
}

enum memplan_status cli_unknown(const char *what, const char *name,
	const char *nearest, const char *command)
{
	if (nearest)
		return cli_usage("unknown %s '%s'; did you mean '%s'?", what,
			name, nearest);
	return cli_usage(
		"unknown %s '%s'; '%s' names them", what, name, command);
}

enum memplan_status cli_out_of_memory(void)
{
	cli_say("memplan: out of memory\n");
	return MEMPLAN_ENOMEM;
}

/* A stream that failed once fails again when it is flushed. */
enum memplan_status cli_no_stdout(void)
{
	static bool said;

	if (!said)
		cli_say("memplan: cannot write to stdout\n");
	said = true;
	return MEMPLAN_EIO;
}

bool cli_complain(const char *name, const char *what)
{
	cli_say("%s: error: %s: %s\n", name, what, strerror(errno));
	return false;
}

/* Length of ":12:3" in front of a sentence; 0: none. */
static size_t numbers(const char *text)
{
	size_t length = 0;

	while (text[length] == ':' && text[length + 1] >= '0' &&
		text[length + 1] <= '9') {
		length++;
		length += strspn(text + length, "0123456789");
	}
	return length;
}

/* Bold red for an error, bold magenta for a warning, as in compilers. */
static void print_kind(const char *kind, bool color)
{
	if (color)
		fprintf(stderr, "\033[1;%dm%s\033[0m", *kind == 'e' ? 31 : 35,
			kind);
	else
		fputs(kind, stderr);
}

void cli_tell(const char *kind, const struct place *place, const char *text)
{
	size_t length = place->file ? strlen(place->file) : 0, lines;

	if (length == 0 || strncmp(text, place->file, length) != 0 ||
		text[length] != ':') {
		cli_say("memplan: ");
		print_kind(kind, place->color);
		cli_say(": %s\n", text);
		return;
	}
	lines = numbers(text + length);
	cli_say("%.*s", (int)(length + lines), text);
	if (lines == 0 && place->line > 0)
		cli_say(":%u:%u", place->line, place->column);
	text += length + lines;
	cli_say(": ");
	print_kind(kind, place->color);
	cli_say(": %s\n", text + strspn(text, ": "));
}
