/*
 * Strings and their escapes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "json/strings.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"

enum {
	ESCAPE = 12 /* bytes of the longest: two of \u and four digits */
};

/* Four hexadecimal digits, or UINT32_MAX. */
static uint32_t read_hex(const char *at, const char *end)
{
	uint32_t code = 0;

	if (end - at < 4)
		return UINT32_MAX;
	for (uint32_t i = 0; i < 4; i++) {
		unsigned char c = (unsigned char)at[i], low = c | 0x20;

		if (c >= '0' && c <= '9')
			code = code * 16 + (c - '0');
		else if (low >= 'a' && low <= 'f')
			code = code * 16 + (low - 'a' + 10u);
		else
			return UINT32_MAX;
	}
	return code;
}

uint32_t mp_json_unicode(const char **at, const char *end)
{
	uint32_t high = read_hex(*at + 2, end), low;

	*at += 6;
	if (high == UINT32_MAX || (high & 0xfc00) == 0xdc00)
		return UINT32_MAX;
	if ((high & 0xfc00) != 0xd800)
		return high;
	if (end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u')
		return UINT32_MAX;
	low = read_hex(*at + 2, end);
	*at += 6;
	if ((low & 0xfffffc00) != 0xdc00)
		return UINT32_MAX;
	return 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
}

static char decode_short(char c)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *found = strchr(from, c);

	return found ? to[found - from] : c;
}

/* The character of the escape at *at, as UTF-8; *at moves behind it. */
static size_t take_escape(const char **at, char out[UTF8_MOST])
{
	assert(**at == '\\');
	if ((*at)[1] == 'u')
		return utf8_write(mp_json_unicode(at, *at + ESCAPE), out);
	out[0] = decode_short((*at)[1]);
	*at += 2;
	return 1;
}

const char *mp_json_string_end(const char *string)
{
	assert(*string == '"');
	for (string++; *string != '"'; string++)
		string += *string == '\\';
	return string;
}

static size_t take_character(const char **at, char out[UTF8_MOST])
{
	size_t n;

	if (**at == '\\')
		return take_escape(at, out);
	n = utf8_length(*at, UTF8_MOST);
	memcpy(out, *at, n);
	*at += n;
	return n;
}

/* Takes the word from the string. */
static bool take_word(const char **string, const char *word)
{
	char character[UTF8_MOST];
	size_t n;

	for (; *word; word += n) {
		if (**string == '"')
			return false;
		n = take_character(string, character);
		if (strncmp(word, character, n) != 0)
			return false;
	}
	return true;
}

bool mp_json_spells_on(const char *string, const char *word)
{
	return take_word(&string, word) && *string == '"';
}

bool mp_json_begins(const char *string, const char *word)
{
	string++;
	return take_word(&string, word);
}

bool mp_json_same_on(const char *a, const char *b)
{
	char left[UTF8_MOST], right[UTF8_MOST];
	size_t n;

	while (*a != '"' && *b != '"') {
		n = take_character(&a, left);
		if (take_character(&b, right) != n ||
			memcmp(left, right, n) != 0)
			return false;
	}
	return *a == *b;
}

static size_t unescape(const char *text, const char *end, char *out)
{
	char *to = out;

	while (text < end)
		if (*text != '\\')
			*to++ = *text++;
		else
			to += take_escape(&text, to);
	return (size_t)(to - out);
}

char *mp_json_string_copy(
	const char *string, size_t *length, struct arena *arena)
{
	const char *text = string + 1, *end = mp_json_string_end(string);
	char *copy = NEW(arena, char, (size_t)(end - text) + 1);

	size_t n = copy ? unescape(text, end, copy) : 0;

	if (length)
		*length = n;
	return copy;
}
