/*
 * Cells of CSV: quoting as in RFC 4180, and protection against formulas.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/text.h"

/* Spreadsheets run a cell that begins like a formula, even in quotes. Behind an
 * apostrophe it is text. */
static bool is_formula(const char *text)
{
	return *text != '\0' && strchr("=+-@\t\r", *text) != NULL;
}

void mp_sink_cell(struct sink *sink, const char *text)
{
	const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";

	mp_sink_text(sink, quote);
	mp_sink_text(sink, is_formula(text) ? "'" : "");
	for (; *text; text++) {
		if (*text == '"')
			mp_sink_text(sink, "\"");
		mp_sink_write(sink, text, 1);
	}
	mp_sink_text(sink, quote);
}
