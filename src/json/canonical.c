/*
 * The canonical text of a value: keys ascend by their bytes, each member has a
 * line of its own and two spaces more than what it is in, and lists and objects
 * without members are [] and {}. Python writes it with json.dumps(value,
 * indent=2, sort_keys=True, ensure_ascii=False).
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/sink-text.h"
#include "json/json.h"

/* A list or an object on the way to the value that is being written. */
struct level {
	const cJSON **members; /* in the order of the text */
	uint32_t n, next;
	bool is_object;
};

struct writing {
	struct level levels[JSON_DEPTH + 1];
	uint32_t n, indent;
	const char *dropped;
	struct sink *sink;
	struct arena *arena;
};

/* No two members of an object have one key. */
static int by_key(const void *left, const void *right)
{
	const cJSON *const *a = left, *const *b = right;

	return strcmp((*a)->string, (*b)->string);
}

static bool is_dropped(const struct writing *w, const cJSON *member)
{
	return w->dropped && member->string &&
	       strcmp(member->string, w->dropped) == 0 && !member->child;
}

static bool open_level(struct writing *w, const cJSON *value)
{
	struct level *level = &w->levels[w->n];
	uint32_t n = 0;

	assert(w->n <= JSON_DEPTH);
	for (const cJSON *c = value->child; c; c = c->next)
		n++;
	*level = (struct level){.members = NEW(w->arena, const cJSON *, n),
		.is_object = cJSON_IsObject(value)};
	if (!level->members)
		return false;
	for (const cJSON *c = value->child; c; c = c->next)
		if (!is_dropped(w, c))
			level->members[level->n++] = c;
	if (level->is_object && level->n > 0)
		qsort(level->members, level->n, sizeof(*level->members),
			by_key);
	w->n++;
	mp_sink_text(w->sink, level->is_object ? "{" : "[");
	return true;
}

static void new_line(struct writing *w)
{
	mp_sink_text(w->sink, "\n");
	for (uint32_t i = 0; i < w->indent + w->n; i++)
		mp_sink_text(w->sink, "  ");
}

static void close_level(struct writing *w)
{
	const struct level *level = &w->levels[--w->n];

	if (level->n > 0)
		new_line(w);
	mp_sink_text(w->sink, level->is_object ? "}" : "]");
}

static void write_leaf(struct sink *sink, const cJSON *value)
{
	if (cJSON_IsString(value))
		mp_sink_json(sink, value->valuestring);
	else if (cJSON_IsNumber(value))
		mp_sink_i64(sink, (int64_t)value->valuedouble);
	else if (cJSON_IsBool(value))
		mp_sink_text(sink, cJSON_IsTrue(value) ? "true" : "false");
	else
		mp_sink_text(sink, "null");
}

static bool write_value(struct writing *w, const cJSON *value)
{
	if (cJSON_IsArray(value) || cJSON_IsObject(value))
		return open_level(w, value);
	write_leaf(w->sink, value);
	return true;
}

bool mp_json_canonical(const struct json_at *at, uint32_t indent,
	const char *dropped, struct sink *sink, struct arena *arena)
{
	struct writing w = {.indent = indent,
		.dropped = dropped,
		.sink = sink,
		.arena = arena};

	if (!write_value(&w, at->value))
		return false;
	while (w.n > 0) {
		struct level *level = &w.levels[w.n - 1];
		const cJSON *member;

		if (level->next == level->n) {
			close_level(&w);
			continue;
		}
		member = level->members[level->next];
		mp_sink_text(sink, level->next++ > 0 ? "," : "");
		new_line(&w);
		if (level->is_object) {
			mp_sink_json(sink, member->string);
			mp_sink_text(sink, ": ");
		}
		if (!write_value(&w, member))
			return false;
	}
	return true;
}
