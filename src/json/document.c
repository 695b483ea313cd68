/*
 * Documents and cursors. Only this file, scan-tree.c, value.c and canonical.c
 * use cJSON. The text has passed the scanner, so cJSON can only fail if memory
 * is out.
 *
 * SPDX-License-Identifier: MIT
 */
#include "json/scan.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/sink-text.h"

enum {
	NODE_BYTES = sizeof(cJSON) + 16,
	LARGE = 64 * 1024, /* bytes of a document from which on parsing shows */
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

/* cJSON allocates with malloc. How much is known beforehand and compared with
 * the limit of the arena. */
static bool check_memory(const struct scan *scan, const struct arena *arena)
{
	uint64_t bytes = scan->n_values * NODE_BYTES + scan->n_text_bytes;

	if (arena->limit == 0 || arena->held + bytes <= arena->limit)
		return true;
	return mp_fail(arena->error, MEMPLAN_ENOMEM,
		"out of memory: a JSON document needs %llu byte%s more",
		(unsigned long long)bytes, mp_text_plural(bytes));
}

/* The next node of the tree in the order of the text. */
static cJSON *next_node(cJSON *node, cJSON **stack, uint32_t *depth)
{
	if (node->child) {
		assert(*depth <= JSON_DEPTH);
		stack[(*depth)++] = node;
		return node->child;
	}
	while (!node->next && *depth > 0)
		node = stack[--*depth];
	return *depth > 0 ? node->next : NULL;
}

/* cJSON makes the same double of 128.0 and 128. The scanner noted which numbers
 * are spelled with a fraction or an exponent. */
static void mark_reals(cJSON *root, const struct scan *scan)
{
	cJSON *stack[JSON_DEPTH + 1], *node = root;
	uint32_t depth = 0, found = 0;
	uint64_t number = 0;

	for (; node && found < scan->n_reals;
		node = next_node(node, stack, &depth)) {
		if (!cJSON_IsNumber(node))
			continue;
		if (scan->reals[found] == number++) {
			node->type |= JSON_IS_REAL;
			found++;
		}
	}
	assert(found == scan->n_reals);
}

static bool parse(struct json *json, struct scan *scan)
{
	if (!mp_json_scan(scan) || !check_memory(scan, scan->arena))
		return false;
	json->root = cJSON_ParseWithLength(json->text, json->length);
	if (!json->root)
		return mp_fail(scan->error, MEMPLAN_ENOMEM, "%s: out of memory",
			json->file);
	mark_reals(json->root, scan);
	return true;
}

static bool parse_large(struct json *json, struct scan *scan)
{
	struct tree tree = {.arena = &json->tree};
	struct scan own = *scan;

	json->tree = mp_arena_within(scan->arena, scan->error);
	own.tree = &tree;
	if (!mp_json_scan(&own))
		return false;
	scan->n_values = own.n_values;
	json->root = tree.root;
	return true;
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
		.arena = arena,
		.error = e};

	*json = (struct json){.file = file->name,
		.text = file->bytes + skip,
		.length = length,
		.error = e};
	if (length < LARGE ? !parse(json, &scan) : !parse_large(json, &scan))
		return false;
	json->n_values = scan.n_values;
	mp_arena_rewind(arena, mark);
	return true;
}

void mp_json_close(struct json *json)
{
	if (!json->tree.blocks)
		cJSON_Delete(json->root);
	mp_arena_free(&json->tree);
	json->root = NULL;
}

/* ---------------------------------------------------------- cursors */

struct json_at mp_json_root(const struct json *json)
{
	return (struct json_at){json, json->root, NULL, 0};
}

struct json_at mp_json_first(const struct json_at *at)
{
	const struct cJSON *first = at->value ? at->value->child : NULL;

	return (struct json_at){at->json, first, at, 0};
}

void mp_json_next(struct json_at *member)
{
	assert(member->value);
	member->value = member->value->next;
	member->index++;
}

const char *mp_json_key(const struct json_at *member)
{
	return member->value->string;
}

/* ----------------------------------------------------------- places */

/* cJSON does not keep places, and only errors and edits of a document need
 * them. So the text is read again: at each depth of the path to the value,
 * commas are counted. The text has passed the scanner. */

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
	if (at->up && at->value && at->value->string)
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

	if (!cJSON_IsArray(at->value))
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
	size_t used = 0;

	if (!at->value || !at->value->string)
		return (size_t)snprintf(out, room, "/%u", at->index);
	out[used++] = '/';
	for (const char *c = at->value->string; *c && used + 4 < room; c++) {
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

static const char *kind_of(const cJSON *value)
{
	if (cJSON_IsNull(value))
		return "null";
	if (cJSON_IsBool(value))
		return "true or false";
	if (cJSON_IsNumber(value))
		return "a number";
	if (cJSON_IsString(value))
		return "a string";
	return cJSON_IsArray(value) ? "a list" : "an object";
}

bool mp_json_fail_kind(const struct json_at *at, const char *wanted)
{
	return mp_json_fail(
		at, "must be %s, not %s", wanted, kind_of(at->value));
}

/* ------------------------------------------------------------- keys */

static bool fail_key(
	const struct json_at *member, const struct json_key *keys, uint32_t n)
{
	const char *name = mp_json_key(member), *nearest = NULL;
	struct json_place place = mp_json_place(member);
	uint32_t best = 3;

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
static uint32_t find_key(const char *name, const struct json_key *keys,
	uint32_t n, uint32_t begin)
{
	for (uint32_t i = 0, k = begin; i < n; i++, k++) {
		if (k >= n)
			k -= n;
		if (strcmp(keys[k].name, name) == 0)
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
	if (!cJSON_IsObject(at->value))
		return mp_json_fail_kind(at, "an object");
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		uint32_t key = find_key(mp_json_key(&m), keys, n, k);

		if (key == n && strncmp(mp_json_key(&m), "x-", 2) == 0)
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

struct json_at mp_json_find(const struct json_at *at, const char *key)
{
	struct json_at m = mp_json_first(at);

	while (m.value && (!m.value->string || strcmp(m.value->string, key)))
		mp_json_next(&m);
	return m;
}
