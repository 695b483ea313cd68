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

struct text_lines mp_input_lines(const struct input_file *file, struct error *e)
{
	return (struct text_lines){.file = file->name,
		.rest = {file->bytes + mp_file_mark(file),
			file->bytes + file->length},
		.error = e};
}

bool mp_input_lines_next(struct text_lines *lines, struct text *line)
{
	if (lines->rest.at == lines->rest.end)
		return false;
	*line = mp_input_lines_cut(&lines->rest, '\n');
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
		if (!text.at || length == 1 ||
			memcmp(text.at, what, length) == 0)
			return text.at;
		text.at++;
	}
	return NULL;
}

uint32_t mp_input_lines_count(struct text text, const char *what)
{
	uint32_t n = 0;

	while (n < NONE / 4 && (text.at = mp_input_lines_find(text, what))) {
		text.at++;
		n++;
	}
	return n;
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

struct text mp_input_lines_cut(struct text *text, char separator)
{
	const char *end =
		memchr(text->at, separator, (size_t)(text->end - text->at));
	struct text front = {text->at, end ? end : text->end};

	assert(text->at <= text->end);
	text->at = end ? end + 1 : text->end;
	return front;
}

void mp_input_lines_skip_blanks(struct text *text)
{
	while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
		text->at++;
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

bool mp_input_lines_is(struct text text, const char *what)
{
	return mp_input_lines_take(&text, what) && text.at == text.end;
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
