/*
 * Sentences on stderr: see say.h.
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
