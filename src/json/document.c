/*
 * Documents and cursors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "json/scan.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "json/strings.h"
#include "json/twins.h"

enum {
	BYTES_EACH = 8, /* of text for a value, about */
};

/* ------------------------------------------------------ open, close */

const char *mp_json_begin(const struct input_file *file)
{
	size_t i = mp_file_mark(file);

	if (i < file->length)
		i = (size_t)(mp_json_skip_blanks(file->bytes + i,
				     file->bytes + file->length) -
			     file->bytes);
	return i < file->length ? file->bytes + i : "";
}

bool mp_json_open(const struct input_file *file, struct json *json,
	struct arena *arena, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(arena);
	size_t skip = mp_file_mark(file), length = file->length - skip;
	struct scan scan = {.file = file->name,
		.text = file->bytes + skip,
		.end = file->bytes + file->length,
		.at = file->bytes + skip,
		.tree = &json->tree,
		.arena = arena,
		.error = e};

	*json = (struct json){.file = file->name,
		.text = file->bytes + skip,
		.length = length,
		.tree = mp_arena_within(arena, e),
		.room = &json->tree,
		.error = e};
	scan.room_nodes = (uint32_t)num_min(length / BYTES_EACH + 1, NONE / 2);
	scan.nodes = NEW(&json->tree, struct json_node, scan.room_nodes);
	if (!scan.nodes || !mp_json_scan(&scan))
		return false;
	json->root = scan.nodes;
	json->n_values = scan.n_nodes;
	mp_arena_rewind(arena, mark);
	return true;
}

void mp_json_close(struct json *json)
{
	mp_arena_free(&json->tree);
	json->root = NULL;
}

/* ---------------------------------------------------------- cursors */

struct json_at mp_json_root(const struct json *json)
{
	return (struct json_at){json, json->root, NULL, 0};
}

/* The first member of a list or an object that has any, else NULL. */
static const struct json_node *first_member(
	const struct json *json, const struct json_node *value)
{
	const char *at;

	if (!value || (*value->at != '[' && *value->at != '{'))
		return NULL;
	at = mp_json_skip_blanks(value->at + 1, json->text + json->length);
	return *at == ']' || *at == '}' ? NULL : value + 1;
}

struct json_at mp_json_first(const struct json_at *at)
{
	return (struct json_at){
		at->json, first_member(at->json, at->value), at, 0};
}

void mp_json_next(struct json_at *member)
{
	assert(member->value);
	member->value = member->value->next == 0
				? NULL
				: member->value + member->value->next;
	member->index++;
}

const char *mp_json_key(const struct json_at *member)
{
	return mp_json_string_copy(
		mp_json_node_key(member->value), NULL, member->json->room);
}

/* ----------------------------------------------------------- places */

static const char *skip_value(const char *at, const char *end)
{
	if (at < end && *at == '"')
		return mp_json_string_end(at) + 1;
	while (at < end && *at && !strchr(",]} \t\r\n", *at))
		at++;
	return at;
}

/* What is missing would be where its container begins. */
struct json_place mp_json_place(const struct json_at *at)
{
	const char *text = at->json->text, *end = text + at->json->length;
	const struct json_at *there = at;
	struct json_place place = {.line = 1};
	const char *value, *line = text;

	while (!there->value && there->up)
		there = there->up;
	value = there->value ? there->value->at : text;
	if (there != at)
		value = mp_json_skip_blanks(value + 1, end);
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

/* A step of a pointer, with its ~ resolved; false: it is too long. */
static bool take_step(const char **pointer, char step[JSON_TEXT])
{
	const char *at = *pointer + 1;
	size_t n = 0;

	for (; *at && *at != '/' && strncmp(at, ": ", 2) != 0; at++) {
		if (n + 1 >= JSON_TEXT)
			return false;
		step[n] = *at;
		if (*at == '~' && (at[1] == '0' || at[1] == '1'))
			step[n] = *++at == '0' ? '~' : '/';
		n++;
	}
	step[n] = '\0';
	*pointer = at;
	return true;
}

/* The member of an object by its key, or of a list by its index. */
static struct json_at find_step(const struct json_at *at, const char *step)
{
	struct json_at m = mp_json_first(at);
	char index[16];

	if (*at->value->at != '[')
		return mp_json_find(at, step);
	for (; m.value; mp_json_next(&m)) {
		snprintf(index, sizeof(index), "%u", m.index);
		if (strcmp(index, step) == 0)
			break;
	}
	return m;
}

bool mp_json_follow(
	const struct json *json, const char *pointer, struct json_place *place)
{
	struct json_at way[JSON_DEPTH + 1];
	char step[JSON_TEXT];
	uint32_t n = 0;

	way[0] = mp_json_root(json);
	for (; *pointer == '/'; n++) {
		if (n == JSON_DEPTH || !take_step(&pointer, step))
			return false;
		way[n + 1] = find_step(&way[n], step);
		if (!way[n + 1].value)
			return false;
	}
	*place = mp_json_place(&way[n]);
	return true;
}

/* ----------------------------------------------------------- errors */

/* One step of a JSON Pointer, with ~ and / escaped, cut if it is too long. */
static size_t write_step(char *out, size_t room, const struct json_at *at)
{
	const char *key = NULL;
	size_t used = 0;

	if (at->value && at->value->key > 0)
		key = mp_json_key(at);
	if (!key)
		return (size_t)snprintf(out, room, "/%u", at->index);
	out[used++] = '/';
	for (const char *c = key; *c && used + 4 < room; c++) {
		if (used > 80)
			break;
		if (*c == '~' || *c == '/')
			out[used++] = '~';
		out[used++] = *c == '~' ? '0' : *c == '/' ? '1' : *c;
	}
	out[used] = '\0';
	return used;
}

static void write_pointer(char *out, size_t room, const struct json_at *at)
{
	const struct json_at *steps[JSON_DEPTH + 1];
	uint32_t n = 0;
	size_t used = 0;

	for (; at->up; at = at->up) {
		assert(n <= JSON_DEPTH);
		steps[n++] = at;
	}
	out[0] = '\0';
	while (n > 0 && used + 16 < room)
		used += write_step(out + used, room - used, steps[--n]);
}

bool mp_json_fail(const struct json_at *at, const char *format, ...)
{
	char pointer[ERROR_TEXT / 2], text[ERROR_TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	write_pointer(pointer, sizeof(pointer), at);
	if (at->json->error->line == 0) {
		struct json_place place = mp_json_place(at);

		at->json->error->line = place.line;
		at->json->error->column = place.column;
	}
	return mp_fail(at->json->error, MEMPLAN_EINPUT, "%s: %s%s%s",
		at->json->file, pointer, *pointer ? ": " : "", text);
}

static const char *kind_of(char first)
{
	switch (first) {
	case '[':
		return "a list";
	case '{':
		return "an object";
	case '"':
		return "a string";
	case 't':
	case 'f':
		return "true or false";
	case 'n':
		return "null";
	default:
		return "a number";
	}
}

bool mp_json_fail_kind(const struct json_at *at, const char *wanted)
{
	return mp_json_fail(
		at, "must be %s, not %s", wanted, kind_of(*at->value->at));
}

/* ------------------------------------------------------------- keys */

static bool fail_key(
	const struct json_at *member, const struct json_key *keys, uint32_t n)
{
	const char *name = mp_json_key(member), *nearest = NULL;
	struct json_place place = mp_json_place(member);
	uint32_t best = 3;

	if (!name)
		return false;
	/* The message names the object; line and column are the member's. */
	member->json->error->line = place.line;
	member->json->error->column = place.column;

	for (uint32_t i = 0; i < n; i++)
		if (mp_names_is_nearer(keys[i].name, name, &best))
			nearest = keys[i].name;
	if (nearest)
		return mp_json_fail(member->up,
			"unknown key '%.60s'; did you mean '%s'?", name,
			nearest);
	return mp_json_fail(member->up,
		"unknown key '%.60s'; keys that begin with x- are free for "
		"your own use",
		name);
}

/* The index of the key, or n. Keys mostly come in the order of the table, so
 * the search begins after the last one found. */
static uint32_t find_key(const char *string, const struct json_key *keys,
	uint32_t n, uint32_t begin)
{
	for (uint32_t i = 0, k = begin; i < n; i++, k++) {
		if (k >= n)
			k -= n;
		if (mp_json_spells(string, keys[k].name))
			return k;
	}
	return n;
}

bool mp_json_pick(const struct json_at *at, const struct json_key *keys,
	uint32_t n, struct json_at *found)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++)
		found[i] = (struct json_at){at->json, NULL, at, 0};
	if (!mp_json_is_object(at))
		return mp_json_fail_kind(at, "an object");
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		const char *string = mp_json_node_key(m.value);
		uint32_t key = find_key(string, keys, n, k);

		if (key == n && mp_json_begins(string, "x-"))
			continue;
		if (key == n)
			return fail_key(&m, keys, n);
		found[key] = m;
		k = key + 1;
	}
	for (uint32_t i = 0; i < n; i++)
		if (keys[i].required && !found[i].value)
			return mp_json_fail(
				at, "'%s' is missing", keys[i].name);
	return true;
}

bool mp_json_is_format(const struct json_at *root, const char *format)
{
	struct json_at format_at, version_at;
	const char *text = NULL;
	uint64_t version = 0;

	if (!mp_json_is_object(root))
		return mp_json_fail_kind(root, "an object");
	format_at = mp_json_find(root, "format");
	version_at = mp_json_find(root, "version");
	if (!format_at.value)
		return mp_json_fail(root, "'format' is missing");
	if (!mp_json_text(&format_at, &text))
		return false;
	if (strcmp(text, format) != 0)
		return mp_json_fail(&format_at, "must be \"%s\", not \"%.40s\"",
			format, text);
	if (!version_at.value)
		return mp_json_fail(root, "'version' is missing");
	return mp_json_integer(&version_at, &version) &&
	       (version == 1 ||
		       mp_json_fail(&version_at,
			       "must be 1: no other version is known"));
}

struct json_at mp_json_find(const struct json_at *at, const char *key)
{
	struct json_at m = mp_json_first(at);

	while (m.value &&
		(m.value->key == 0 ||
			!mp_json_spells(mp_json_node_key(m.value), key)))
		mp_json_next(&m);
	return m;
}
