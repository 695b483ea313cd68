/*
 * Splits an entry of GE's log. Names may contain brackets and spaces, so the
 * fixed parts of an entry are searched first.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "input/ge-log/ge-log.h"

/* ----------------------------------------------------------- fields */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool mp_input_ge_find(struct text text, const char *key, struct text *value)
{
	size_t length = strlen(key);
	const char *at, *close;

	while ((at = mp_input_lines_find(text, key))) {
		text.at = at + length;
		if (text.at == text.end || *text.at != '[' || is_word(at[-1]))
			continue;
		close = memchr(text.at, ']', (size_t)(text.end - text.at));
		*value = (struct text){text.at + 1, close};
		return close != NULL;
	}
	return false;
}

bool mp_input_ge_need(const struct ge_log *log, struct text text,
	const char *key, struct text *value)
{
	return mp_input_ge_find(text, key, value) ||
	       mp_input_lines_fail(&log->lines,
		       "the line is cut off: no '%s[...]' in it", key);
}

bool mp_input_ge_bytes(const struct ge_log *log, struct text text,
	const char *key, uint64_t *bytes)
{
	struct text field = {0};

	if (!mp_input_ge_need(log, text, key, &field))
		return false;
	return mp_input_lines_number(field, NUM_MAX_BYTES, bytes) ||
	       mp_input_lines_fail(&log->lines,
		       "%s '%.*s' must be an integer from 0 to %llu", key,
		       mp_input_lines_shown(field), field.at,
		       (unsigned long long)NUM_MAX_BYTES);
}

/* Takes an id; 64 one bits mean "never" too. */
static bool take_id(struct text *text, uint64_t *id)
{
	if (!mp_input_lines_take_number(text, UINT64_MAX, id))
		return false;
	if (*id == UINT64_MAX)
		*id = GE_NEVER + 1;
	return *id <= GE_NEVER + 1;
}

static void add_id(struct ge_ids *ids, uint64_t id)
{
	assert(ids->least <= ids->greatest);
	ids->least = num_min(ids->least, id);
	ids->greatest = num_max(ids->greatest, id);
}

/* "3", "3--7" or "3-7". */
static bool take_ids(struct text rest, struct ge_ids *ids)
{
	uint64_t id;

	if (!take_id(&rest, &ids->first))
		return false;
	ids->least = ids->greatest = ids->first;
	while (rest.at < rest.end) {
		if (!mp_input_lines_take(&rest, "--") &&
			!mp_input_lines_take(&rest, "-"))
			return false;
		if (!take_id(&rest, &id))
			return false;
		add_id(ids, id);
	}
	return true;
}

bool mp_input_ge_ids(const struct ge_log *log, struct text text,
	const char *key, struct ge_ids *ids)
{
	struct text field;

	if (!mp_input_ge_need(log, text, key, &field))
		return false;
	if (mp_input_lines_is(field, "-1")) {
		ids->first = ids->least = ids->greatest = GE_NEVER + 1;
		return true;
	}
	return take_ids(field, ids) ||
	       mp_input_lines_fail(&log->lines,
		       "%s '%.*s' must be ids up to 4294967295, joined by --",
		       key, mp_input_lines_shown(field), field.at);
}

/* The numbers between colons. */
static uint32_t take_flags(struct text text, uint64_t *at, uint32_t most)
{
	uint32_t n = 0;

	while (n < most &&
		mp_input_lines_take_number(&text, NONE - 1, &at[n])) {
		n++;
		if (!mp_input_lines_take(&text, ":"))
			break;
	}
	return text.at == text.end ? n : 0;
}

void mp_input_ge_flags(struct text text, struct ge_tensor *tensor)
{
	struct text field;
	uint64_t flags[5] = {0};
	uint32_t n;

	if (!mp_input_ge_find(text, "child", &field))
		return;
	n = take_flags(field, flags, countof(flags));
	if (n < 4)
		return;
	tensor->level = (uint32_t)flags[0];
	tensor->lone = flags[1] == 0;
	tensor->caller = n == 5 && flags[3] != 0;
	tensor->prefetched = n == 5 && tensor->plain == tensor->size &&
			     !(tensor->begin | tensor->last | flags[0] |
				     flags[1] | flags[2] | flags[3] | flags[4]);
}

bool mp_input_ge_size(
	const struct ge_log *log, struct text text, uint64_t *size)
{
	struct text field;
	bool spelled_apart = mp_input_ge_find(text, "real_size", &field);

	return mp_input_ge_bytes(
		log, text, spelled_apart ? "real_size" : "realsize", size);
}

/* ----------------------------------------------------------- places */

static const char *back_to(const char *at, const char *first, char wanted)
{
	while (at > first && at[-1] != wanted)
		at--;
	return at;
}

bool mp_input_ge_split(struct text line, struct ge_place *place)
{
	static const char to[] = "] offset to [", type[] = "] optype[";
	const char *name = mp_input_lines_find(line, " name["), *close, *open;
	struct text tail;

	if (!name)
		return false;
	tail = (struct text){name + strlen(" name["), line.end};
	close = mp_input_lines_find(tail, to);
	if (!close)
		return false;
	open = back_to(close, tail.at, '[');
	if (open == tail.at)
		return false;
	place->graph = (struct text){line.at, name};
	place->index = (struct text){open, close};
	place->kind = (struct text){back_to(open, tail.at, ' '), open - 1};
	if (place->kind.at < tail.at + 2 || place->kind.at > open - 1)
		return false;
	place->name = (struct text){tail.at, place->kind.at - 2};
	place->rest = (struct text){place->kind.at, line.end};
	place->offset = (struct text){close + strlen(to), line.end};
	close = mp_input_lines_find((struct text){tail.at, open}, type);
	if (close)
		place->name.end = close;
	open = memchr(
		place->offset.at, ']', (size_t)(line.end - place->offset.at));
	place->offset.end = open ? open : place->offset.at;
	return open != NULL;
}

const char *mp_input_ge_name(
	const struct ge_log *log, const struct ge_place *place)
{
	static const char *const kinds[] = {
		"output", "workspace", "output_desc", "input"};
	const char *name, *kind = NULL;
	uint64_t index;

	for (size_t i = 0; i < countof(kinds); i++)
		if (mp_input_lines_is(place->kind, kinds[i]))
			kind = kinds[i];
	if (!kind || !mp_input_lines_number(place->index, NONE, &index)) {
		mp_input_lines_fail(&log->lines,
			"'%.*s[%.*s]' must be output[N] or workspace[N]",
			mp_input_lines_shown(place->kind), place->kind.at,
			mp_input_lines_shown(place->index), place->index.at);
		return NULL;
	}
	name = mp_input_lines_copy(
		&log->lines, "name", place->name, log->arena);
	if (!name)
		return NULL;
	return mp_arena_print(log->arena, "%s:%s%s%llu", name,
		kind == kinds[0] ? "" : kind, kind == kinds[0] ? "" : ":",
		(unsigned long long)index);
}
