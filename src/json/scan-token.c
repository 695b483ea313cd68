/*
 * Tokens of the scanner: strings and numbers, and errors with their place.
 *
 * SPDX-License-Identifier: MIT
 */
#include "json/scan.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "json/strings.h"
#include "json/twins.h"

/* ----------------------------------------------------------- errors */

static void find_place(const struct scan *s, const char *at,
	unsigned long long *line, unsigned long long *column)
{
	*line = *column = 1;
	for (const char *c = s->text; c < at; c++) {
		if (*c == '\n' ||
			(*c == '\r' && (c + 1 == s->end || c[1] != '\n'))) {
			++*line;
			*column = 1;
		} else {
			*column += ((unsigned char)*c & 0xc0) != 0x80;
		}
	}
}

bool mp_json_scan_fail(
	const struct scan *s, const char *at, const char *format, ...)
{
	unsigned long long line, column;
	char text[ERROR_TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	find_place(s, at, &line, &column);
	return mp_fail(s->error, MEMPLAN_EINPUT, "%s:%llu:%llu: %s", s->file,
		line, column, text);
}

/* The key of the value that is being scanned in frame i, an object. */
static const char *key_of(const struct scan *s, uint32_t i)
{
	assert(s->frames[i].is_object && s->frames[i].last != NONE);
	return mp_json_node_key(&s->nodes[s->frames[i].last]);
}

/* True inside the value of a key that begins with x-. */
static bool is_ignored(const struct scan *s)
{
	for (uint32_t i = 0; i < s->depth; i++)
		if (s->frames[i].is_object &&
			mp_json_begins(key_of(s, i), "x-"))
			return true;
	return false;
}

/* An integer that a double does not hold exactly. Like other errors of meaning,
 * the message has a JSON Pointer, and line and column are beside it. */
static bool fail_range(const struct scan *s, const char *at)
{
	unsigned long long line, column;
	char pointer[ERROR_TEXT] = "";
	size_t used = 0, room = sizeof(pointer) / 2;
	const char *key;

	if (is_ignored(s))
		return true;
	for (uint32_t i = 0; i < s->depth && used < room; i++) {
		if (!s->frames[i].is_object) {
			used += snprintf(pointer + used, room - used, "/%u",
				s->frames[i].index);
			continue;
		}
		key = mp_json_string_copy(key_of(s, i), NULL, s->arena);
		if (!key)
			return false;
		used += snprintf(pointer + used, room - used, "/%.40s", key);
	}
	find_place(s, at, &line, &column);
	s->error->line = (uint32_t)line;
	s->error->column = (uint32_t)column;
	return mp_fail(s->error, MEMPLAN_EINPUT,
		"%s: %s: must be an integer from 0 to %llu", s->file, pointer,
		(unsigned long long)JSON_MAX_INTEGER);
}

/* ---------------------------------------------------------- strings */

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* The first byte is the lowest. */
static uint64_t word_at(const char *at)
{
	uint64_t word = 0;

	for (uint32_t i = 0; i < sizeof(word); i++)
		word |= (uint64_t)(unsigned char)at[i] << 8 * i;
	return word;
}

/* Has a high bit in the lowest of 8 bytes that is 0; above it, anything. */
static uint64_t find_zero(uint64_t word)
{
	return (word - UINT64_C(0x0101010101010101)) & ~word &
	       UINT64_C(0x8080808080808080);
}

/* Skips bytes that stand for themselves. */
static const char *skip_plain(const char *at, const char *end)
{
	const uint64_t each = UINT64_C(0x0101010101010101);
	uint64_t word, special;

	for (; end - at >= 8; at += 8) {
		word = word_at(at);
		special = find_zero(word ^ each * '"') |
			  find_zero(word ^ each * '\\') |
			  (((word - each * ' ') | word) & each * 0x80);
		if (special)
			return at + __builtin_ctzll(special) / 8;
	}
	while (at < end && is_plain((unsigned char)*at))
		at++;
	return at;
}

static bool scan_escape(struct scan *s)
{
	const char *start = s->at;
	uint32_t code;

	if (s->end - start < 2)
		return mp_json_scan_fail(
			s, s->end, "the text ends inside a string");
	if (start[1] != 'u') {
		s->at += 2;
		if (start[1] && strchr("\"\\/bfnrt", start[1]))
			return true;
		return mp_json_scan_fail(
			s, start, "unknown escape in a string");
	}
	code = mp_json_unicode(&s->at, s->end);
	if (code == UINT32_MAX)
		return mp_json_scan_fail(s, start,
			"\\u needs four hexadecimal digits, and surrogates "
			"come in pairs");
	if (code == 0)
		return mp_json_scan_fail(
			s, start, "a string must not contain NUL");
	return true;
}

static bool scan_special(struct scan *s)
{
	unsigned char c = (unsigned char)*s->at;
	size_t n;

	if (c == '\\')
		return scan_escape(s);
	if (c == 0)
		return mp_json_scan_fail(
			s, s->at, "a string must not contain NUL");
	if (c < 0x20)
		return mp_json_scan_fail(s, s->at,
			"control character U+%04X in a string must be written "
			"\\u%04x",
			c, c);
	n = utf8_length(s->at, (size_t)(s->end - s->at));
	if (n == 0)
		return mp_json_scan_fail(s, s->at, "not valid UTF-8");
	s->at += n;
	return true;
}

bool mp_json_scan_string(struct scan *s)
{
	s->at++;
	for (;;) {
		s->at = skip_plain(s->at, s->end);
		if (s->at == s->end)
			return mp_json_scan_fail(
				s, s->at, "the text ends inside a string");
		if (*s->at == '"')
			break;
		if (!scan_special(s))
			return false;
	}
	s->at++;
	return true;
}

/* ---------------------------------------------------------- numbers */

bool mp_json_scan_is_digit(const struct scan *s)
{
	return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static bool scan_digits(struct scan *s, uint64_t *value)
{
	if (!mp_json_scan_is_digit(s))
		return mp_json_scan_fail(
			s, s->at, "a number needs a digit here");
	*value = mp_json_scan_whole(&s->at, s->end);
	return true;
}

static bool scan_fraction(struct scan *s)
{
	uint64_t ignored;

	if (s->at == s->end || *s->at != '.')
		return true;
	s->at++;
	return scan_digits(s, &ignored);
}

static bool scan_exponent(struct scan *s, int64_t *exponent)
{
	uint64_t value = 0;
	bool negative;

	*exponent = 0;
	if (s->at == s->end || (*s->at | 0x20) != 'e')
		return true;
	s->at++;
	negative = s->at < s->end && *s->at == '-';
	if (s->at < s->end && (*s->at == '-' || *s->at == '+'))
		s->at++;
	if (!scan_digits(s, &value))
		return false;
	*exponent = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

bool mp_json_scan_number(struct scan *s)
{
	const char *start = s->at, *whole, *behind;
	uint64_t value = 0;
	int64_t exponent = 0;

	s->at += *s->at == '-';
	whole = s->at;
	if (!scan_digits(s, &value))
		return false;
	behind = s->at;
	if (*whole == '0' && behind - whole > 1)
		return mp_json_scan_fail(
			s, whole, "a number must not begin with 0");
	if (s->at < s->end && (*s->at | 0x20) == 'x')
		return mp_json_scan_fail(
			s, s->at, "JSON has decimal numbers only");
	if (!scan_fraction(s) || !scan_exponent(s, &exponent))
		return false;
	if (s->at - start > JSON_NUMBER_TEXT)
		return mp_json_scan_fail(s, start,
			"a number of more than %d characters",
			JSON_NUMBER_TEXT);
	if (s->at == behind && value > JSON_MAX_INTEGER)
		return fail_range(s, start);
	if (behind - whole + exponent > 308)
		return is_ignored(s) ||
		       mp_json_scan_fail(s, start, "a number too large");
	return true;
}
