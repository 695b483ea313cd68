/*
 * Reads lists of tasks: docs/formats/tasks.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "batch/batch.h"
#include "batch/inside.h"

enum {
	MOST_SHARDS = 1000000,
	HASH_DIGITS = 8,
};

/* --------------------------------------------------------- settings */

static int by_name(const void *left, const void *right)
{
	const struct setting *a = left, *b = right;

	return strcmp(a->name, b->name);
}

void mp_batch_sort(struct settings *settings)
{
	if (settings->n > 0)
		qsort(settings->at, settings->n, sizeof(*settings->at),
			by_name);
}

const char *mp_batch_find(const struct settings *settings, const char *name)
{
	struct setting wanted = {name, NULL};
	const struct setting *found =
		settings->n == 0 ? NULL
				 : bsearch(&wanted, settings->at, settings->n,
					   sizeof(*settings->at), by_name);

	return found ? found->value : NULL;
}

/* Those of the line, and those of the others that the line does not have. */
static bool join(struct settings *own, const struct settings *initial,
	struct arena *arena)
{
	struct setting *all = NEW(arena, struct setting, own->n + initial->n);
	uint32_t n = own->n;

	if (!all)
		return false;
	if (n > 0)
		memcpy(all, own->at, sizeof(*all) * n);
	for (uint32_t i = 0; i < initial->n; i++)
		if (!mp_batch_find(own, initial->at[i].name))
			all[n++] = initial->at[i];
	*own = (struct settings){all, n};
	mp_batch_sort(own);
	return true;
}

/* ----------------------------------------------------------- values */

/* A number as the line spells it. */
static bool copy_number(
	const struct json_at *at, const char **value, struct arena *arena)
{
	struct json_place place = mp_json_place(at);

	*value = mp_arena_text(
		arena, at->json->text + place.begin, place.end - place.begin);
	return *value != NULL;
}

/* A text or a number. */
static bool read_value(
	const struct json_at *at, const char **value, struct arena *arena)
{
	return mp_json_is_number(at) ? copy_number(at, value, arena)
				     : mp_json_copy(at, value, arena);
}

/* What may be repeated is a list; its lines have their order. */
static bool read_lines(
	const struct json_at *at, const char **value, struct arena *arena)
{
	const char *line;

	if (!mp_json_expect_list(at))
		return false;
	*value = NULL;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		if (!read_value(&m, &line, arena))
			return false;
		*value = *value ? mp_arena_print(arena, "%s\n%s", *value, line)
				: line;
		if (!*value)
			return false;
	}
	return *value || mp_json_fail(at, "must not be empty");
}

/* A switch: "" is on; false is as if it were not there. */
static bool read_option(
	const struct json_at *at, const char **value, struct arena *arena)
{
	bool on = false;

	if (mp_json_is_text(at) || mp_json_is_number(at))
		return read_value(at, value, arena);
	if (mp_json_is_bool(at)) {
		*value = NULL;
		if (!mp_json_bool(at, &on))
			return false;
		if (on)
			*value = "";
		return true;
	}
	return read_lines(at, value, arena);
}

static bool read_settings(const struct json_at *at, struct settings *settings,
	bool (*read)(const struct json_at *at, const char **value,
		struct arena *arena),
	struct arena *arena)
{
	uint32_t n;

	if (!at->value)
		return true;
	if (!mp_json_object(at, &n))
		return false;
	settings->at = NEW(arena, struct setting, n);
	if (!settings->at)
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		const char *key = mp_json_key(&m), *value = NULL;

		if (!key)
			return false;
		if (strlen(key) > JSON_TEXT || !*key || strpbrk(key, "=\n"))
			return mp_json_fail(&m, "is no name");
		if (!read(&m, &value, arena))
			return false;
		key = mp_arena_text(arena, key, strlen(key));
		if (!key)
			return false;
		if (value)
			settings->at[settings->n++] =
				(struct setting){key, value};
	}
	mp_batch_sort(settings);
	return true;
}

/* The file lies in the store, behind a key: so its name is plain. */
static bool is_plain(const char *name)
{
	static const char fine[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	return *name && name[strspn(name, fine)] == '\0' && *name != '.' &&
	       *name != '-' && strlen(name) <= BATCH_LONGEST_OUTPUT;
}

static bool has_output(const struct task *task, const char *name)
{
	for (uint32_t i = 0; i < task->n_outputs; i++)
		if (strcmp(task->outputs[i], name) == 0)
			return true;
	return false;
}

static bool read_outputs(
	const struct json_at *at, struct task *task, struct arena *arena)
{
	uint32_t n = 0;

	if (!at->value)
		return true;
	task->outputs = mp_json_room(at, &n, sizeof(*task->outputs), arena);
	if (!task->outputs)
		return false;
	if (n > BATCH_MOST_OUTPUTS)
		return mp_json_fail(at, "has more than %u outputs",
			(unsigned)BATCH_MOST_OUTPUTS);
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		const char *name;

		if (!mp_json_copy(&m, &name, arena))
			return false;
		if (!is_plain(name))
			return mp_json_fail(&m,
				"must be a name of letters, digits, '.', '_' "
				"and '-', without a folder");
		if (has_output(task, name))
			return mp_json_fail(&m, "is there twice");
		task->outputs[task->n_outputs++] = name;
	}
	return true;
}

/* ------------------------------------------------------------- task */

static bool read_task(
	const struct json_at *root, struct task *task, struct arena *arena)
{
	static const struct json_key keys[] = {
		{"input", true},
		{"batch", false},
		{"dims", false},
		{"options", false},
		{"outputs", false},
	};
	struct json_at found[countof(keys)];

	if (!mp_json_pick(root, keys, countof(keys), found) ||
		!mp_json_copy(&found[0], &task->input, arena))
		return false;
	if (!*task->input)
		return mp_json_fail(&found[0], "must not be empty");
	return (!found[1].value ||
		       read_value(&found[1], &task->batch, arena)) &&
	       read_settings(&found[2], &task->dims, read_value, arena) &&
	       read_settings(&found[3], &task->options, read_option, arena) &&
	       read_outputs(&found[4], task, arena);
}

/* To JSON a line is a text of its own: what is wrong with its syntax is in line
 * 1. */
static void drop_line(struct error *e, const char *name)
{
	size_t length = strlen(name);
	char *at = e->text + length;

	if (strncmp(e->text, name, length) == 0 && strncmp(at, ":1:", 3) == 0)
		memmove(at, at + 2, strlen(at + 2) + 1);
}

/* A graph in place of a list is a common mistake. */
static void add_hint(struct error *e)
{
	size_t length = strlen(e->text);

	if (e->code == MEMPLAN_EINPUT)
		snprintf(e->text + length, sizeof(e->text) - length,
			"; each line is a task of its own");
}

bool mp_batch_task(const struct tasks *tasks, uint32_t i,
	const struct settings *initial, struct task *task, struct arena *arena,
	struct error *e)
{
	const struct task_line *line = &tasks->lines[i];
	struct input_file file = {
		NULL, tasks->file.bytes + line->begin, line->length};
	struct json_at root;
	struct json json;
	bool fine;

	assert(i < tasks->n);
	file.name =
		mp_arena_print(arena, "%s:%u", tasks->file.name, line->number);
	if (!file.name)
		return false;
	*task = (struct task){.line = line->number};
	fine = mp_json_open(&file, &json, arena, e);
	if (!fine)
		add_hint(e);
	root = mp_json_root(&json);
	fine = fine && read_task(&root, task, arena);
	mp_json_close(&json);
	if (!fine)
		drop_line(e, file.name);
	return fine && join(&task->options, initial, arena);
}

/* ------------------------------------------------------------- list */

/* The next line that is not blank. */
static bool next_line(
	const struct input_file *file, size_t *at, struct task_line *line)
{
	while (*at < file->length) {
		const char *begin = file->bytes + *at;
		size_t room = file->length - *at;
		const char *end = memchr(begin, '\n', room);
		size_t length = end ? (size_t)(end - begin) : room;

		line->number++;
		line->begin = *at;
		line->length = length;
		*at += length + (end != NULL);
		if (mp_json_skip_blanks(begin, begin + length) !=
			begin + length)
			return true;
	}
	return false;
}

/* By what the line says, not by the bytes of the graph: a program that has one
 * shard need not read the graphs of all others. */
static bool hash_task(
	const struct task *task, uint32_t *hash, struct sink *sink)
{
	char digest[SHA256_TEXT];

	sink->length = 0;
	mp_batch_describe(task, task->input, sink);
	mp_sha256(sink->bytes, sink->length, digest);
	digest[HASH_DIGITS] = '\0';
	*hash = (uint32_t)strtoul(digest, NULL, 16);
	return sink->error->code == MEMPLAN_OK;
}

static bool read_lines_of(
	struct tasks *tasks, struct arena *arena, struct sink *sink)
{
	static const struct settings none;
	struct arena scratch = mp_arena_within(arena, arena->error);
	struct task_line line = {.number = 0};
	size_t at = mp_file_mark(&tasks->file);
	uint32_t room = 0;
	bool fine = true;

	while (fine && next_line(&tasks->file, &at, &line)) {
		struct arena_mark mark = mp_arena_mark(&scratch);
		struct task task;

		tasks->lines = mp_arena_grow(arena, tasks->lines, tasks->n,
			&room, sizeof(*tasks->lines));
		if (!tasks->lines) {
			fine = false;
			break;
		}
		tasks->lines[tasks->n] = line;
		tasks->n++;
		fine = mp_batch_task(tasks, tasks->n - 1, &none, &task,
			       &scratch, arena->error) &&
		       hash_task(&task, &tasks->lines[tasks->n - 1].hash, sink);
		mp_arena_rewind(&scratch, mark);
	}
	mp_arena_free(&scratch);
	return fine;
}

bool mp_batch_read(const struct input_file *file, struct tasks *tasks,
	struct arena *arena, struct error *e)
{
	struct sink sink = {.error = e};
	bool fine;

	assert(arena->error == e);
	*tasks = (struct tasks){.file = *file};
	fine = read_lines_of(tasks, arena, &sink);
	mp_sink_free(&sink);
	return fine && (tasks->n > 0 || mp_fail(e, MEMPLAN_EINPUT,
						"%s: there are no tasks in it",
						file->name));
}

/* ----------------------------------------------------------- shards */

bool mp_batch_parse_shard(const char *text, struct shard *shard)
{
	uint64_t k, n;

	if (!mp_bytes_digits(&text, MOST_SHARDS - 1, &k) || *text++ != '/' ||
		!mp_bytes_digits(&text, MOST_SHARDS, &n) || *text || k >= n)
		return false;
	*shard = (struct shard){(uint32_t)k, (uint32_t)n};
	return true;
}

/* ------------------------------------------------------------ title */

static void name_settings(struct sink *sink, const struct settings *settings)
{
	for (uint32_t i = 0; i < settings->n; i++) {
		const struct setting *s = &settings->at[i];

		mp_sink_print(
			sink, *s->value ? " %s=%s" : " %s", s->name, s->value);
	}
}

const char *mp_batch_title(const struct task *task, struct arena *arena)
{
	struct sink sink = {.error = arena->error};
	const char *title;

	mp_sink_text(&sink, task->input);
	if (task->batch)
		mp_sink_print(&sink, " batch=%s", task->batch);
	name_settings(&sink, &task->dims);
	name_settings(&sink, &task->options);
	title = sink.bytes ? mp_arena_text(arena, sink.bytes, sink.length)
			   : NULL;
	mp_sink_free(&sink);
	return title;
}
