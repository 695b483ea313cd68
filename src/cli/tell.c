/*
 * The form of errors and warnings. Editors and CI logs parse messages of
 * compilers: a place (FILE, FILE:LINE or FILE:LINE:COLUMN), then "error: " or
 * "warning: ", then a sentence. The sentence begins with a JSON Pointer if
 * there is one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
		fputs("memplan: ", stderr);
		print_kind(kind, place->color);
		fprintf(stderr, ": %s\n", text);
		return;
	}
	lines = numbers(text + length);
	fprintf(stderr, "%.*s", (int)(length + lines), text);
	if (lines == 0 && place->line > 0)
		fprintf(stderr, ":%u:%u", place->line, place->column);
	text += length + lines;
	fputs(": ", stderr);
	print_kind(kind, place->color);
	fprintf(stderr, ": %s\n", text + strspn(text, ": "));
}

enum memplan_status cli_usage(const char *format, ...)
{
	va_list arguments;

	fputs("memplan: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return MEMPLAN_EUSAGE;
}

enum memplan_status cli_out_of_memory(void)
{
	fputs("memplan: out of memory\n", stderr);
	return MEMPLAN_ENOMEM;
}
