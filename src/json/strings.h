/*
 * Strings of a text that has passed the scanner, from their opening quotes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_JSON_STRINGS_H
#define MP_JSON_STRINGS_H

#include "base/arena.h"

/* The code point of the \u escape or pair of them at *at, which moves behind
 * it; UINT32_MAX if it is not valid. */
uint32_t mp_json_unicode(const char **at, const char *end);

/* The closing quote of a string. */
const char *mp_json_string_end(const char *string);

/* What mp_json_spells() and mp_json_same() say below, from somewhere within the
 * strings on, where they may have escapes. */
bool mp_json_spells_on(const char *string, const char *word);
bool mp_json_same_on(const char *a, const char *b);

/* Is the string the word? Mostly they differ soon, and no escape comes before.
 */
static inline bool mp_json_spells(const char *string, const char *word)
{
	for (string++; *string == *word && *string != '"' && *string != '\\';
		string++)
		word++;
	if (*string == '"')
		return *word == '\0';
	return *string == '\\' && mp_json_spells_on(string, word);
}

static inline bool mp_json_same(const char *a, const char *b)
{
	for (a++, b++; *a == *b && *a != '\\'; a++, b++)
		if (*a == '"')
			return true;
	return (*a == '\\' || *b == '\\') && mp_json_same_on(a, b);
}

/* Does the string begin with the word? */
bool mp_json_begins(const char *string, const char *word);

/* The text of a string. Fills its length, without the NUL behind it, unless
 * length is NULL. NULL: memory is out. */
char *mp_json_string_copy(
	const char *string, size_t *length, struct arena *arena);

#endif
