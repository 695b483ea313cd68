/*
 * From the lines of GE's log to a graph that carries GE's plan: no ops, pinned
 * lifetimes, fixed offsets.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "input/ge_log.h"
#include "input/times.h"

enum {
	GRAIN = 512, /* what GE aligns to */
	MOST_NAMED = 4
};

/* --------------------------------------------------------------- references */

/* Names a few of those that a warning is about. */
struct mention {
	char text[320];
	size_t length;
	uint32_t n;
};

static void mention(struct mention *m, const char *a, const char *b)
{
	int room = (int)(sizeof(m->text) - m->length), n;

	if (m->n++ >= MOST_NAMED)
		return;
	n = snprintf(m->text + m->length, (size_t)room,
		b ? "%s'%.30s' with '%.30s'" : "%s'%.30s'",
		m->n > 1 ? ", " : "", a, b);
	m->length += (size_t)(n < room ? n : room - 1);
}

static const char *more(const struct mention *m)
{
	return m->n > MOST_NAMED ? " and others" : "";
}

static void widen(struct ge_tensor *tensor, const struct ge_tensor *reference)
{
	tensor->begin = num_min(tensor->begin, reference->begin);
	tensor->last = num_max(tensor->last, reference->last);
	tensor->size = num_max(tensor->size, reference->size);
}

/* A reference follows, in the log, the tensor whose block it is in. */
static void merge_references(struct ge_log *log)
{
	struct mention merged = {0};
	uint32_t kept = 0;

	for (uint32_t i = 0; i < log->n; i++) {
		const struct ge_tensor *t = &log->tensors[i];
		struct ge_tensor *before = log->tensors + kept - (kept > 0);

		if (t->reference && kept > 0 && before->offset == t->offset &&
			!before->timeless) {
			mention(&merged, t->id, before->id);
			widen(before, t);
		} else {
			log->tensors[kept++] = *t;
		}
	}
	log->n = kept;
	if (merged.n > 0)
		mp_warn(log->error,
			"%s: references share the bytes of what they refer to "
			"and are read as one with it (%u in all): %s%s",
			log->lines.file, merged.n, merged.text, more(&merged));
}

/* ---------------------------------------------------------------- lifetimes */

/* The first id after all that a line speaks of. */
static uint64_t horizon(const struct ge_log *log)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < log->n; i++) {
		const struct ge_tensor *t = &log->tensors[i];

		if (t->timeless)
			continue;
		end = num_max(end, t->begin + 1);
		if (t->last < GE_NEVER)
			end = num_max(end, t->last + 1);
	}
	return num_max(end, 1);
}

static struct time_span span_of(const struct ge_tensor *t, uint64_t end)
{
	struct time_span span = {0, (int64_t)end};

	if (t->timeless)
		return span;
	span.start = (int64_t)t->begin;
	if (t->last < GE_NEVER)
		span.end = (int64_t)t->last + 1;
	return span;
}

/* ------------------------------------------------------------------ offsets */

/* The largest power of two up to GE's that divides all offsets. */
static uint64_t grain_of(const struct ge_log *log)
{
	uint64_t bits = GRAIN;

	for (uint32_t i = 0; i < log->n; i++)
		if (log->tensors[i].size > 0)
			bits |= log->tensors[i].offset;
	return bits & (~bits + 1);
}

static void fill(struct ge_log *log, uint64_t alignment, struct graph *graph)
{
	uint64_t grain = grain_of(log);

	graph->alignment = alignment ? alignment : grain;
	for (uint32_t i = 0; i < log->n; i++) {
		const struct ge_tensor *from = &log->tensors[i];
		struct tensor *to = &graph->tensors[i];

		to->id = to->name = from->id;
		to->size = from->size;
		to->offset = from->offset;
		to->placed = true;
		to->producer = NONE;
		if (!alignment && grain < GRAIN && from->offset % GRAIN == 0)
			to->align = GRAIN;
	}
}

/* ----------------------------------------------------------------- warnings */

static void warn_of_streams(const struct ge_log *log)
{
	if (log->several_streams)
		mp_warn(log->error,
			"%s: several streams: the log does not say which "
			"waits for which, so that GE's ids serve as one time "
			"line; memplan's own plan of it is for comparison, "
			"not for use",
			log->lines.file);
}

static void warn_of_tensors(const struct ge_log *log)
{
	struct mention timeless = {0}, adjacent = {0};

	for (uint32_t i = 0; i < log->n; i++) {
		if (log->tensors[i].timeless)
			mention(&timeless, log->tensors[i].id, NULL);
		else if (log->tensors[i].adjacent)
			mention(&adjacent, log->tensors[i].id, NULL);
	}
	if (timeless.n > 0)
		mp_warn(log->error,
			"%s: no line says when they live, so they live "
			"throughout (%u in all): %s%s",
			log->lines.file, timeless.n, timeless.text,
			more(&timeless));
	if (adjacent.n > 0)
		mp_warn(log->error,
			"%s: GE keeps these beside each other, which a plan "
			"of memplan's own need not (%u in all): %s%s",
			log->lines.file, adjacent.n, adjacent.text,
			more(&adjacent));
}

static void warn_of_total(const struct ge_log *log)
{
	uint64_t reach = 0;

	for (uint32_t i = 0; i < log->n; i++)
		reach = num_max(
			reach, log->tensors[i].offset + log->tensors[i].size);
	if (log->has_total && log->total != reach)
		mp_warn(log->error,
			"%s: GE says that it takes %llu bytes, the tensors "
			"reach %llu",
			log->lines.file, (unsigned long long)log->total,
			(unsigned long long)reach);
}

/* -------------------------------------------------------------------- graph */

bool mp_ge_log_graph(
	struct ge_log *log, uint64_t alignment, struct graph *graph)
{
	const struct gap_list none = {0};
	struct arena scratch = mp_arena_beside(log->arena);
	struct time_span *spans;
	uint64_t end;
	bool fine = false;

	merge_references(log);
	graph->name = mp_lines_copy(
		&log->lines, "name of the graph", log->graph.text, log->arena);
	graph->tensors = NEW(log->arena, struct tensor, log->n);
	graph->n_tensors = log->n;
	spans = NEW(&scratch, struct time_span, log->n);
	if (graph->name && graph->tensors && spans) {
		fill(log, alignment, graph);
		end = horizon(log);
		for (uint32_t i = 0; i < log->n; i++)
			spans[i] = span_of(&log->tensors[i], end);
		fine = mp_times_compress(
			graph, spans, log->n, &none, log->arena);
	}
	mp_arena_free(&scratch);
	if (!fine)
		return false;
	warn_of_streams(log);
	warn_of_tensors(log);
	warn_of_total(log);
	return true;
}
