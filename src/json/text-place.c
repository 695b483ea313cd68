/*
 * The place of a value in the text. cJSON does not keep places, and only errors
 * and edits of a document need them. So the text is read again: at each depth
 * of the path to the value, commas are counted. The text has passed the
 * scanner.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "json/json.h"

/* From an opening quote to after the closing one. */
static const char *skip_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\';
	return at < end ? at + 1 : end;
}

/* The begin of the member that a path of n member numbers leads to. */
static const char *find_member(
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
			assert(depth > 0);
			depth--;
		} else if (*at == ',' && depth == found + 1) {
			found += ++passed == way[found];
		}
		at++;
	}
	return mp_json_skip_blanks(at, end);
}

/* A member of an object begins with its key. */
static const char *skip_key(const char *at, const char *end)
{
	at = mp_json_skip_blanks(skip_string(at, end), end);
	return at < end ? mp_json_skip_blanks(at + 1, end) : end;
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
	assert(n <= JSON_DEPTH);
	left = n;
	for (const struct json_at *a = at; a->up; a = a->up)
		way[--left] = a->index;
	value = find_member(text, end, way, n);
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
