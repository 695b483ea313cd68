/*
 * Lines of a text log, and functions that parse them from the front. Texts
 * point into the file, which need not end with a NUL.
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
	const char *at, *end; /* the part that is not read yet */
	uint32_t number;      /* of the last line that was read, from 1 */
	struct error *error;
};

/* The next line without its end, which may be LF, CRLF or missing. */
bool mp_input_lines_next(struct text_lines *lines, struct text *line);

/* Records an error at the current line; always false. */
bool mp_input_lines_fail(const struct text_lines *lines, const char *format,
	...) MP_PRINTF(2, 3);

/* The first occurrence, or NULL. */
const char *mp_input_lines_find(struct text text, const char *what);

/* Does the text begin so? Then that prefix is removed. */
bool mp_input_lines_take(struct text *text, const char *what);

/* Removes blanks and tabs at the front. */
void mp_input_lines_skip_blanks(struct text *text);

/* Removes a number at the front. False: there is none, or it exceeds the limit.
 */
bool mp_input_lines_take_number(
	struct text *text, uint64_t limit, uint64_t *value);

/* Is the whole text a number up to the limit? */
bool mp_input_lines_number(struct text text, uint64_t limit, uint64_t *value);

bool mp_input_lines_same(struct text a, struct text b);

/* The length that an error message shows of a text, for %.*s. */
int mp_input_lines_shown(struct text text);

/* A copy of a text that must be UTF-8 without control characters. `what` names
 * it in messages. NULL: it is not, or memory is out. */
const char *mp_input_lines_copy(const struct text_lines *lines,
	const char *what, struct text text, struct arena *arena);

#endif
