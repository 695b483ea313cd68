/*
 * Keys: digests of all that decides an answer.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "batch/batch.h"
#include "batch/inside.h"

/* A text as its length and its bytes: so no text can look like two. */
static void field(struct sink *sink, const char *text)
{
	mp_sink_u64(sink, strlen(text));
	mp_sink_text(sink, ":");
	mp_sink_text(sink, text);
	mp_sink_text(sink, "\n");
}

/* Threads never change a plan. */
static bool decides(const struct setting *setting)
{
	return strcmp(setting->name, "threads") != 0;
}

static void list(
	struct sink *sink, const char *kind, const struct settings *settings)
{
	for (uint32_t i = 0; i < settings->n; i++) {
		if (!decides(&settings->at[i]))
			continue;
		field(sink, kind);
		field(sink, settings->at[i].name);
		field(sink, settings->at[i].value);
	}
}

void mp_batch_describe(
	const struct task *task, const char *input, struct sink *sink)
{
	field(sink, input);
	if (task->batch) {
		field(sink, "batch");
		field(sink, task->batch);
	}
	list(sink, "dim", &task->dims);
	list(sink, "option", &task->options);
	for (uint32_t i = 0; i < task->n_outputs; i++) {
		field(sink, "output");
		field(sink, task->outputs[i]);
	}
}

static const char *last_part(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

bool mp_batch_key(const struct task *task, const struct task_file *files,
	uint32_t n_files, const char *version, char key[SHA256_TEXT],
	struct sink *sink)
{
	size_t begin = sink->length;

	field(sink, "memplan.answer 1");
	field(sink, version);
	for (uint32_t i = 0; i < n_files; i++) {
		field(sink, files[i].role);
		field(sink, last_part(files[i].name));
		field(sink, files[i].digest);
	}
	mp_batch_describe(task, last_part(task->input), sink);
	if (sink->error->code != MEMPLAN_OK)
		return false;
	mp_sha256(sink->bytes + begin, sink->length - begin, key);
	sink->length = begin;
	return true;
}
