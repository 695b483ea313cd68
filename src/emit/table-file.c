/*
 * table: the plan as little-endian bytes for the loader on the device.
 * docs/table-format.md defines them; the loader was written from that text too
 * and shares no code with this file.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "emit/inside.h"
#include "emit/rows.h"

enum {
	VERSION = 1,
	HEADER_SIZE = 96,
	POOL_SIZE = 24,
	ENTRY_SIZE = 32,
	CHECKSUM_AT = 24,
};

struct name {
	const char *text;
	uint32_t entry;
};

struct table {
	const struct plan *plan;
	const struct schedule *schedule;
	struct sink *sink;
	uint32_t *listed;    /* tensors as the entries have them */
	struct name *sorted; /* by name, then by entry */
	uint32_t *name_at;   /* of each entry */
	const bool *changes; /* of a tensor: see inside.h */
	uint32_t n;	     /* entries: tensors that are not external */
	uint64_t pools_at, entries_at, index_at, names_at, names_size, size;
};

/* ------------------------------------------------------------ bytes */

static void pad(struct sink *sink)
{
	while (sink->length % 8 != 0 && sink->error->code == MEMPLAN_OK)
		mp_sink_le(sink, 0, 1);
}

static uint64_t word_at(const unsigned char *bytes)
{
	uint64_t word = 0;

	for (uint32_t i = 8; i-- > 0;)
		word = word << 8 | bytes[i];
	return word;
}

/* Fills in the checksum of all that was written. */
static void seal(struct sink *sink)
{
	unsigned char *bytes = (unsigned char *)sink->bytes;
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	if (sink->error->code != MEMPLAN_OK)
		return;
	assert(sink->length % 8 == 0);
	for (size_t i = 0; i < sink->length; i += 8) {
		sum = (sum ^ word_at(bytes + i)) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 32;
	}
	for (uint32_t i = 0; i < 8; i++)
		bytes[CHECKSUM_AT + i] = (unsigned char)(sum >> (8 * i));
}

/* --------------------------------------------------------- sections */

static void header(const struct table *t)
{
	mp_sink_write(t->sink, "\x89MPT\r\n\x1a\n", 8);
	mp_sink_le(t->sink, VERSION, 4);
	mp_sink_le(t->sink, HEADER_SIZE, 4);
	mp_sink_le(t->sink, t->size, 8);
	mp_sink_le(t->sink, 0, 8);
	mp_sink_le(t->sink, mp_plan_memories(t->plan), 4);
	mp_sink_le(t->sink, POOL_SIZE, 4);
	mp_sink_le(t->sink, t->n, 4);
	mp_sink_le(t->sink, ENTRY_SIZE, 4);
	mp_sink_le(t->sink, t->pools_at, 8);
	mp_sink_le(t->sink, t->entries_at, 8);
	mp_sink_le(t->sink, t->index_at, 8);
	mp_sink_le(t->sink, t->names_at, 8);
	mp_sink_le(t->sink, t->names_size, 8);
	mp_sink_le(t->sink, t->schedule->problem.n_steps, 4);
	mp_sink_le(t->sink, 0, 4);
}

/* What every offset is a multiple of: aliases begin at any byte. */
static uint64_t unit(const struct table *t, uint32_t space, uint64_t alignment)
{
	const struct schedule *s = t->schedule;
	uint64_t bits = alignment;

	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		if (!s->graph->tensors[i].external &&
			mp_plan_space(t->plan, i) == space)
			bits |= mp_plan_offset(t->plan, i);
	return bits & -bits;
}

static void pools(const struct table *t)
{
	for (uint32_t i = 0; i < mp_plan_memories(t->plan); i++) {
		struct space space = mp_plan_memory(t->plan, i);

		mp_sink_le(t->sink, space.size, 8);
		mp_sink_le(t->sink, space.base_alignment, 8);
		mp_sink_le(t->sink, unit(t, i, space.alignment), 8);
	}
}

static void entries(const struct table *t)
{
	const struct schedule *s = t->schedule;

	for (uint32_t entry = 0; entry < t->n; entry++) {
		uint32_t i = t->listed[entry];
		const struct tensor *tensor = &s->graph->tensors[i];
		const struct stay *stay = &s->stay[i];

		mp_sink_le(t->sink, mp_plan_offset(t->plan, i), 8);
		mp_sink_le(t->sink, tensor->size, 8);
		mp_sink_le(t->sink, stay->start, 4);
		mp_sink_le(t->sink, stay->end, 4);
		mp_sink_le(t->sink, t->name_at[entry], 4);
		mp_sink_le(t->sink, mp_plan_space(t->plan, i), 2);
		mp_sink_le(
			t->sink, t->changes[i] ? KIND_STATE : tensor->kind, 2);
	}
}

/* The plan's name, then those of the tensors as the index has them: opening a
 * table walks both from end to end. */
static void names(const struct table *t)
{
	mp_sink_write(t->sink, t->schedule->graph->name,
		strlen(t->schedule->graph->name) + 1);
	for (uint32_t i = 0; i < t->n; i++)
		mp_sink_write(t->sink, t->sorted[i].text,
			strlen(t->sorted[i].text) + 1);
}

/* -------------------------------------------------------- preparing */

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	return order != 0 ? order : mp_sort_compare(x->entry, y->entry);
}

/* Those that have bytes, or those that have none but are listed. */
static void list(struct table *t, bool bytes)
{
	const struct schedule *s = t->schedule;

	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		if (!s->graph->tensors[i].external &&
			(s->stay[i].buffer != NONE) == bytes)
			t->listed[t->n++] = i;
}

/* What has no bytes comes last: a C header leaves it out and has the same
 * indices. */
static bool list_tensors(struct table *t, struct arena *scratch)
{
	t->listed = NEW(scratch, uint32_t, t->schedule->graph->n_tensors);
	if (!t->listed)
		return false;
	list(t, true);
	list(t, false);
	return true;
}

static bool sort_names(struct table *t, struct arena *scratch)
{
	const struct schedule *s = t->schedule;

	t->sorted = NEW(scratch, struct name, t->n);
	t->name_at = NEW(scratch, uint32_t, t->n);
	if (!t->sorted || !t->name_at)
		return false;
	for (uint32_t i = 0; i < t->n; i++)
		t->sorted[i] = (struct name){
			mp_graph_tensor_label(&s->graph->tensors[t->listed[i]]),
			i};
	if (t->n > 0)
		qsort(t->sorted, t->n, sizeof(*t->sorted), by_name);
	t->names_size = strlen(s->graph->name) + 1;
	for (uint32_t i = 0; i < t->n; i++) {
		t->name_at[t->sorted[i].entry] = (uint32_t)t->names_size;
		t->names_size += strlen(t->sorted[i].text) + 1;
	}
	if (t->names_size > UINT32_MAX)
		return mp_fail(scratch->error, MEMPLAN_EUSAGE,
			"%s: the names take more than 4 GiB, which a table "
			"cannot hold",
			s->graph->name);
	return true;
}

static void lay_out(struct table *t)
{
	t->pools_at = HEADER_SIZE;
	t->entries_at =
		t->pools_at + (uint64_t)mp_plan_memories(t->plan) * POOL_SIZE;
	t->index_at = t->entries_at + (uint64_t)t->n * ENTRY_SIZE;
	t->names_at = t->index_at + ((uint64_t)t->n * 4 + 7) / 8 * 8;
	t->size = t->names_at + (t->names_size + 7) / 8 * 8;
}

void mp_emit_table(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	struct table t = {
		.plan = plan, .schedule = plan->schedule, .sink = sink};

	if (mp_plan_memories(plan) > UINT16_MAX) {
		mp_fail(scratch->error, MEMPLAN_EUSAGE,
			"%s: a table holds at most %d pools",
			plan->schedule->graph->name, UINT16_MAX);
		return;
	}
	t.changes = mp_emit_tied_changes(t.schedule, scratch);
	if (!t.changes || !list_tensors(&t, scratch) ||
		!sort_names(&t, scratch))
		return;
	lay_out(&t);
	header(&t);
	pools(&t);
	entries(&t);
	for (uint32_t i = 0; i < t.n; i++)
		mp_sink_le(sink, t.sorted[i].entry, 4);
	pad(sink);
	names(&t);
	pad(sink);
	seal(sink);
}
