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

/* GitHub, GitLab and Azure look for commands at the beginning of each line, on
 * stderr too. */
static bool is_command(const char *text)
{
	return strncmp(text, "::", 2) == 0 || strncmp(text, "##", 2) == 0;
}

MP_PRINTF(2, 0)
static void say(const char *front, const char *format, va_list arguments)
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
	fprintf(stderr, "%s%s%s", front, is_command(text) ? "memplan: " : "",
		text);
	while (newlines-- > 0)
		fputc('\n', stderr);
}

void cli_say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say("", format, arguments);
	va_end(arguments);
}

enum memplan_status cli_usage(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say("memplan: ", format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return MEMPLAN_EUSAGE;
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
