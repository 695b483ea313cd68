/*
 * Lines of a text log, and functions that parse them from the front. Texts
 * point into the file, which need not end with a NUL.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_LINES_H
#define MP_INPUT_LINES_H

#include "base/file.h"
#include "graph/graph.h"

struct text {
	const char *at, *end;
};

struct text_lines {
	const char *file;
	struct text rest; /* the part that is not read yet */
	uint32_t number;  /* of the last line that was read, from 1 */
	struct error *error;
};

/* All lines of a file. */
struct text_lines mp_input_lines(
	const struct input_file *file, struct error *e);

/* The next line without its end, which may be LF, CRLF or missing. */
bool mp_input_lines_next(struct text_lines *lines, struct text *line);

/* Records an error at the current line; always false. */
bool mp_input_lines_fail(const struct text_lines *lines, const char *format,
	...) MP_PRINTF(2, 3);

/* The first occurrence, or NULL. */
const char *mp_input_lines_find(struct text text, const char *what);

/* How often it occurs; at most NONE / 4. */
uint32_t mp_input_lines_count(struct text text, const char *what);

/* Does the text begin so? Then that prefix is removed. */
bool mp_input_lines_take(struct text *text, const char *what);

/* Removes the text up to the next separator, and the separator. */
struct text mp_input_lines_cut(struct text *text, char separator);

/* Removes blanks and tabs at the front. */
void mp_input_lines_skip_blanks(struct text *text);

/* Removes a number at the front. False, and 0: there is none, or it exceeds the
 * limit. */
static inline bool mp_input_lines_take_number(
	struct text *text, uint64_t limit, uint64_t *value)
{
	const char *at = text->at;
	uint64_t sum = 0, digit;

	*value = 0;
	for (; at < text->end; at++) {
		digit = (uint64_t)(unsigned char)*at - '0';
		if (digit > 9)
			break;
		if (sum > limit / 10 || digit > limit - sum * 10)
			return false;
		sum = sum * 10 + digit;
	}
	if (at == text->at)
		return false;
	text->at = at;
	*value = sum;
	return true;
}

/* Is the whole text a number up to the limit? */
bool mp_input_lines_number(struct text text, uint64_t limit, uint64_t *value);

bool mp_input_lines_same(struct text a, struct text b);

/* Is that the whole text? */
bool mp_input_lines_is(struct text text, const char *what);

/* The length that an error message shows of a text, for %.*s. */
int mp_input_lines_shown(struct text text);

/* A copy of a text that must be UTF-8 without control characters. `what` names
 * it in messages. NULL: it is not, or memory is out. */
const char *mp_input_lines_copy(const struct text_lines *lines,
	const char *what, struct text text, struct arena *arena);

#endif
