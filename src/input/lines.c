/*
 * Lines of a text log.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/lines.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

enum {
	MOST_SHOWN = 60
};

bool mp_input_lines_next(struct text_lines *lines, struct text *line)
{
	const char *lf;

	assert(lines->at <= lines->end);
	if (lines->at == lines->end)
		return false;
	lf = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
	*line = (struct text){lines->at, lf ? lf : lines->end};
	lines->at = lf ? lf + 1 : lines->end;
	lines->number++;
	if (line->end > line->at && line->end[-1] == '\r')
		line->end--;
	return true;
}

bool mp_input_lines_fail(
	const struct text_lines *lines, const char *format, ...)
{
	char sentence[ERROR_TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	return mp_fail(lines->error, MEMPLAN_EINPUT, "%s:%u: %s", lines->file,
		lines->number, sentence);
}

const char *mp_input_lines_find(struct text text, const char *what)
{
	size_t length = strlen(what);

	assert(length > 0 && text.at <= text.end);
	while ((size_t)(text.end - text.at) >= length) {
		size_t room = (size_t)(text.end - text.at) - length + 1;

		text.at = memchr(text.at, *what, room);
		if (!text.at || memcmp(text.at, what, length) == 0)
			return text.at;
		text.at++;
	}
	return NULL;
}

bool mp_input_lines_take(struct text *text, const char *what)
{
	size_t length = strlen(what);

	assert(text->at <= text->end);
	if ((size_t)(text->end - text->at) < length ||
		memcmp(text->at, what, length) != 0)
		return false;
	text->at += length;
	return true;
}

void mp_input_lines_skip_blanks(struct text *text)
{
	while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
		text->at++;
}

bool mp_input_lines_take_number(
	struct text *text, uint64_t limit, uint64_t *value)
{
	const char *at = text->at;
	uint64_t digit;

	for (*value = 0; at < text->end && *at >= '0' && *at <= '9'; at++) {
		digit = (uint64_t)(*at - '0');
		if (digit > limit || *value > (limit - digit) / 10)
			return false;
		*value = *value * 10 + digit;
	}
	if (at == text->at)
		return false;
	text->at = at;
	return true;
}

bool mp_input_lines_number(struct text text, uint64_t limit, uint64_t *value)
{
	return mp_input_lines_take_number(&text, limit, value) &&
	       text.at == text.end;
}

bool mp_input_lines_same(struct text a, struct text b)
{
	size_t length = (size_t)(a.end - a.at);

	return length == (size_t)(b.end - b.at) &&
	       (length == 0 || memcmp(a.at, b.at, length) == 0);
}

int mp_input_lines_shown(struct text text)
{
	return (int)num_min((uint64_t)(text.end - text.at), MOST_SHOWN);
}

const char *mp_input_lines_copy(const struct text_lines *lines,
	const char *what, struct text text, struct arena *arena)
{
	for (const char *at = text.at; at < text.end;) {
		size_t n = utf8_length(at, (size_t)(text.end - at));

		if (n == 0 || (n == 1 && (unsigned char)*at < 0x20)) {
			mp_input_lines_fail(lines,
				"the %s holds a control character or is no "
				"UTF-8",
				what);
			return NULL;
		}
		at += n;
	}
	return mp_arena_text(arena, text.at, (size_t)(text.end - text.at));
}
