/*
 * Warnings: what GE's log leaves open, and how it is read.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdio.h>

#include "base/sink-text.h"
#include "input/ge-log/ge-log.h"

enum {
	MOST_NAMED = 4
};

/* --------------------------------------------------------- mentions */

/* The first few tensors that a warning is about, their number and bytes. */
struct mention {
	char text[320];
	size_t length;
	uint32_t n;
	uint64_t bytes;
};

static void add_mention(struct mention *m, const struct ge_tensor *t,
	const struct ge_tensor *with)
{
	int room = (int)(sizeof(m->text) - m->length), n;

	m->bytes += t->size;
	if (m->n++ >= MOST_NAMED)
		return;
	n = snprintf(m->text + m->length, (size_t)room,
		with ? "%s'%.30s' with '%.30s'" : "%s'%.30s'",
		m->n > 1 ? ", " : "", t->id, with ? with->id : "");
	m->length += (size_t)(n < room ? n : room - 1);
}

/* Warns of the tensors that are mentioned, if there are any. */
static void warn_of(
	const struct ge_log *log, const struct mention *m, const char *sentence)
{
	if (m->n > 0)
		mp_warn(log->error, "%s: %s (%u in all): %s%s", log->lines.file,
			sentence, m->n, m->text,
			m->n > MOST_NAMED ? " and others" : "");
}

/* ------------------------------------------------------- references */

static void merge_reference(
	struct ge_tensor *tensor, const struct ge_tensor *reference)
{
	tensor->begin = num_min(tensor->begin, reference->begin);
	tensor->last = num_max(tensor->last, reference->last);
	tensor->least = num_max(tensor->least, reference->least);
	tensor->size = num_max(tensor->size, reference->size);
}

void mp_input_ge_merge_references(struct ge_log *log)
{
	struct mention merged = {0};

	for (uint32_t i = 0; i < log->n; i++) {
		struct ge_tensor *t = &log->tensors[i];

		if (t->of == NONE)
			continue;
		assert(t->of < i && log->tensors[t->of].of == NONE);
		add_mention(&merged, t, &log->tensors[t->of]);
		merge_reference(&log->tensors[t->of], t);
		t->gone = true;
	}
	warn_of(log, &merged,
		"references share the bytes of what they refer to and are read "
		"as one with it");
}

/* --------------------------------------------------------- warnings */

static void warn_of_processes(const struct ge_log *log)
{
	if (log->other.at)
		mp_warn(log->error,
			"%s: several processes: the lines of %.*s are read; "
			"grep '(%.*s,' keeps those of another one",
			log->lines.file, mp_input_lines_shown(log->process),
			log->process.at, mp_input_lines_shown(log->other),
			log->other.at);
}

static void warn_of_streams(const struct ge_log *log)
{
	struct mention cut = {0};

	if (!log->several_streams)
		return;
	for (uint32_t i = 0; i < log->n; i++)
		if (log->tensors[i].cut && !log->tensors[i].gone)
			add_mention(&cut, &log->tensors[i], NULL);
	mp_warn(log->error,
		"%s: several streams: the log does not say which waits for "
		"which, so that GE's ids serve as one time line; memplan's own "
		"plan of it is for comparison, not for use",
		log->lines.file);
	warn_of(log, &cut,
		"these end at several ids, by stream, and are taken to live "
		"until GE gives their bytes away");
}

static void warn_of_tensors(const struct ge_log *log)
{
	struct mention lone = {0}, timeless = {0}, adjacent = {0};
	uint64_t caller = 0;
	char sentence[200];

	for (uint32_t i = 0; i < log->n; i++) {
		const struct ge_tensor *t = &log->tensors[i];

		if (t->gone)
			continue;
		if (t->timeless)
			add_mention(&timeless, t, NULL);
		else if (t->adjacent)
			add_mention(&adjacent, t, NULL);
		if (!t->lone || t->timeless || t->size == 0)
			continue;
		add_mention(&lone, t, NULL);
		caller += t->caller ? t->size : 0;
	}
	snprintf(sentence, sizeof(sentence),
		"GE shares none of the %llu byte%s of these, %llu of them "
		"zero-copied, and memplan's own plan does not either",
		(unsigned long long)lone.bytes, mp_text_plural(lone.bytes),
		(unsigned long long)caller);
	warn_of(log, &lone, sentence);
	warn_of(log, &timeless,
		"no line says when they live, so they live throughout");
	warn_of(log, &adjacent,
		"GE keeps these beside each other, which a plan of memplan's "
		"own need not");
}

/* ----------------------------------------------------------- totals */

static uint64_t reach_of(const struct ge_log *log, struct text memory)
{
	uint64_t reach = 0;

	for (uint32_t i = 0; i < log->n; i++) {
		const struct ge_tensor *t = &log->tensors[i];

		if (log->memories.n == 0 || memory.at == memory.end ||
			mp_input_lines_same(
				log->memories.at[t->memory], memory))
			reach = num_max(reach, t->offset + t->size);
	}
	return num_up(reach, GE_GRAIN);
}

static void warn_of_totals(const struct ge_log *log)
{
	for (uint32_t i = 0; i < log->n_totals; i++) {
		const struct ge_total *total = &log->totals[i];
		uint64_t reach = reach_of(log, total->memory);

		if (total->bytes != reach)
			mp_warn(log->error,
				"%s: GE says that it takes %llu byte%s of "
				"memory type '%.*s', the tensors reach %llu",
				log->lines.file,
				(unsigned long long)total->bytes,
				mp_text_plural(total->bytes),
				mp_input_lines_shown(total->memory),
				total->memory.at, (unsigned long long)reach);
	}
}

void mp_input_ge_warn(const struct ge_log *log)
{
	warn_of_processes(log);
	warn_of_streams(log);
	warn_of_tensors(log);
	warn_of_totals(log);
}
