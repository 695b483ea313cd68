/*
 * Prints errors and warnings.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_TELL_H
#define MP_CLI_TELL_H

#include <stdbool.h>
#include <stdint.h>

struct place {
	const char *file; /* name of the file, with which the text begins; NULL:
			     unknown */
	uint32_t line, column; /* from 1; 0: not known */
	bool color;	       /* colour of the word error or warning */
};

/* Prints "net.json:3:7: error: sentence" for a text "net.json: sentence". The
 * text may already contain lines. */
void cli_tell(const char *kind, const struct place *place, const char *text);

#endif
