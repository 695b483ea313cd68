/*
 * Sentences on stderr. All that the program says there goes through cli_say(),
 * as names of files and tensors stand in it, and any text may be a name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_SAY_H
#define MP_CLI_SAY_H

#include "base/error.h"

/* Prints as printf() does. What could control a terminal becomes '?', and so
 * does each newline but those at the end; a text that would begin as a command
 * of a CI system does gets "memplan: " in front. */
void cli_say(const char *format, ...) MP_PRINTF(1, 2);

/* Prints to stdout, where cli_say() prints to stderr, with the same care: for
 * what has a name in it. */
void cli_say_out(const char *format, ...) MP_PRINTF(1, 2);

/* Prints "memplan: " and the sentence; the status of a mistake in the command
 * line. */
enum memplan_status cli_usage(const char *format, ...) MP_PRINTF(1, 2);

/* Says that there is no WHAT of that name, and which name is nearest; NULL: the
 * command that names all. The status of that mistake. */
enum memplan_status cli_unknown(const char *what, const char *name,
	const char *nearest, const char *command);

/* Says that memory is out; the status of that. */
enum memplan_status cli_out_of_memory(void);

/* Says that stdout takes no more, once; the status of that. */
enum memplan_status cli_no_stdout(void);

/* Says "NAME: error: WHAT: " and what errno means. False. */
bool cli_complain(const char *name, const char *what);

/* Where in a file something is wrong. */
struct place {
	const char *file; /* name of the file, with which the text begins; NULL:
			     unknown */
	uint32_t line, column; /* from 1; 0: not known */
	bool color;	       /* colour of the word error or warning */
};

/* Prints "net.json:3:7: error: sentence" for a text "net.json: sentence" of
 * kind "error", or "warning". If the text has a line behind the name of the
 * file, that counts, not the place's. */
void cli_tell(const char *kind, const struct place *place, const char *text);

#endif
