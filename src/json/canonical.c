/*
 * The canonical text of a value: keys ascend by their bytes, each member has a
 * line of its own and two spaces more than what it is in, and lists and objects
 * without members are [] and {}. Python writes it with json.dumps(value,
 * indent=2, sort_keys=True, ensure_ascii=False).
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sink-text.h"
#include "json/json.h"
#include "json/strings.h"

struct member {
	const char *key; /* NULL: of a list */
	struct json_at at;
};

/* A list or an object on the way to the value that is being written. */
struct level {
	struct member *members; /* in the order of the text */
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
	const struct member *a = left, *b = right;

	return strcmp(a->key, b->key);
}

static bool is_dropped(const struct writing *w, const struct member *member)
{
	return w->dropped && member->key &&
	       strcmp(member->key, w->dropped) == 0 &&
	       !mp_json_first(&member->at).value;
}

static bool fill_level(
	struct writing *w, struct level *level, const struct json_at *value)
{
	for (struct json_at m = mp_json_first(value); m.value;
		mp_json_next(&m)) {
		struct member member = {.at = m};

		member.key = level->is_object ? mp_json_key(&m) : NULL;
		if (level->is_object && !member.key)
			return false;
		if (!is_dropped(w, &member))
			level->members[level->n++] = member;
	}
	return true;
}

static bool open_level(struct writing *w, const struct json_at *value)
{
	struct level *level = &w->levels[w->n];
	uint32_t n = 0;

	assert(w->n <= JSON_DEPTH);
	for (struct json_at m = mp_json_first(value); m.value; mp_json_next(&m))
		n++;
	*level = (struct level){.members = NEW(w->arena, struct member, n),
		.is_object = mp_json_is_object(value)};
	if (!level->members || !fill_level(w, level, value))
		return false;
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

static bool write_leaf(struct writing *w, const struct json_at *value)
{
	const double most = (double)JSON_MAX_INTEGER;
	const char *text;
	double number;
	bool is_true = false;

	if (mp_json_is_text(value)) {
		text = mp_json_string_copy(value->value->at, NULL, w->arena);
		if (!text)
			return false;
		mp_sink_json(w->sink, text);
	} else if (mp_json_is_number(value)) {
		if (!mp_json_number(value, &number))
			return false;
		mp_sink_i64(w->sink, (int64_t)fmax(-most, fmin(number, most)));
	} else if (mp_json_is_bool(value)) {
		mp_json_bool(value, &is_true);
		mp_sink_text(w->sink, is_true ? "true" : "false");
	} else {
		mp_sink_text(w->sink, "null");
	}
	return true;
}

static bool write_value(struct writing *w, const struct json_at *value)
{
	if (mp_json_is_list(value) || mp_json_is_object(value))
		return open_level(w, value);
	return write_leaf(w, value);
}

bool mp_json_canonical(const struct json_at *at, uint32_t indent,
	const char *dropped, struct sink *sink, struct arena *arena)
{
	struct writing w = {.indent = indent,
		.dropped = dropped,
		.sink = sink,
		.arena = arena};

	if (!write_value(&w, at))
		return false;
	while (w.n > 0) {
		struct level *level = &w.levels[w.n - 1];
		const struct member *member;

		if (level->next == level->n) {
			close_level(&w);
			continue;
		}
		member = &level->members[level->next];
		mp_sink_text(sink, level->next++ > 0 ? "," : "");
		new_line(&w);
		if (level->is_object) {
			mp_sink_json(sink, member->key);
			mp_sink_text(sink, ": ");
		}
		if (!write_value(&w, &member->at))
			return false;
	}
	return true;
}
