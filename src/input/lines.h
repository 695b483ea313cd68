/*
 * Lines of a text log, and what is looked for in them. What they point to is
 * the file itself, which need not end with a NUL.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_LINES_H
#define MP_INPUT_LINES_H

#include "graph/graph.h"

struct text {
	const char *at, *end;
};

struct text_lines {
	const char *file;
	const char *at, *end; /* what is left to read */
	uint32_t number;      /* of the line read last, from 1 */
	struct error *error;
};

/* The next line without its end, which may be LF, CRLF or missing. */
bool mp_input_lines_next(struct text_lines *lines, struct text *line);

/* Records an error at the current line; always false. */
bool mp_input_lines_fail(const struct text_lines *lines, const char *format,
	...) MP_PRINTF(2, 3);

/* Where it stands first, or NULL. */
const char *mp_input_lines_find(struct text text, const char *what);

/* True if it begins so; then that is cut off. */
bool mp_input_lines_take(struct text *text, const char *what);

/* Blanks and tabs at the front are cut off. */
void mp_input_lines_skip_blanks(struct text *text);

/* A number at the front, up to the limit, is cut off. False: there is none, or
 * it is larger. */
bool mp_input_lines_take_number(
	struct text *text, uint64_t limit, uint64_t *value);

/* The whole text is a number up to the limit. */
bool mp_input_lines_number(struct text text, uint64_t limit, uint64_t *value);

bool mp_input_lines_same(struct text a, struct text b);

/* How much of a text an error shows, for %.*s. */
int mp_input_lines_shown(struct text text);

/* A copy, which must be UTF-8 without control characters: what is the name of
 * it in messages. NULL: it is not, or memory is out. */
const char *mp_input_lines_copy(const struct text_lines *lines,
	const char *what, struct text text, struct arena *arena);

#endif
