/*
 * Where a value stands in the text. cJSON does not remember that, and it is
 * asked for rarely: the text is read again, counting commas at each depth of
 * the way that leads to the value. The text has passed the scanner.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "json/json.h"

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && *at && strchr(" \t\r\n", *at))
		at++;
	return at;
}

/* From a quote to behind the one that closes it. */
static const char *skip_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\';
	return at < end ? at + 1 : end;
}

/* Behind what precedes the member that a way of member numbers leads to. */
static const char *find(
	const char *at, const char *end, const uint32_t *way, uint32_t n)
{
	uint32_t depth = 0, found = 0, passed = 0;

	while (found < n && at < end) {
		if (*at == '"') {
			at = skip_string(at, end);
			continue;
		}
		if (*at == '[' || *at == '{') {
			if (depth++ == found) {
				passed = 0;
				found += way[found] == 0;
			}
		} else if (*at == ']' || *at == '}') {
			depth--;
		} else if (*at == ',' && depth == found + 1) {
			found += ++passed == way[found];
		}
		at++;
	}
	return skip_blanks(at, end);
}

/* A member of an object begins with its key. */
static const char *skip_key(const char *at, const char *end)
{
	at = skip_blanks(skip_string(at, end), end);
	return at < end ? skip_blanks(at + 1, end) : end;
}

static const char *skip_value(const char *at, const char *end)
{
	if (at < end && *at == '"')
		return skip_string(at, end);
	while (at < end && *at && !strchr(",]} \t\r\n", *at))
		at++;
	return at;
}

struct json_place mp_json_place(const struct json_at *at)
{
	const char *text = at->json->text, *end = text + at->json->length;
	uint32_t way[JSON_DEPTH + 1], n = 0, left;
	struct json_place place = {.line = 1};
	const char *value, *line = text;

	for (const struct json_at *a = at; a->up; a = a->up)
		n++;
	left = n;
	for (const struct json_at *a = at; a->up; a = a->up)
		way[--left] = a->index;
	value = find(text, end, way, n);
	if (at->up && mp_json_is_member(at))
		value = skip_key(value, end);
	for (const char *c = text; c < value; c++)
		if (*c == '\n') {
			place.line++;
			line = c + 1;
		}
	place.column = (uint32_t)(value - line) + 1;
	place.begin = (size_t)(value - text);
	place.end = (size_t)(skip_value(value, end) - text);
	return place;
}
