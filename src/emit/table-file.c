/*
 * table: the plan as little-endian bytes for the loader on the device.
 * docs/table-format.md defines them; the loader was written from that text too
 * and shares no code with this file.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "emit/rows.h"
#include "emit/tied.h"

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
	const struct problem *problem;
	struct sink *sink;
	struct name *sorted; /* by name, then by entry */
	uint32_t *name_at;   /* of each entry */
	const bool *changes; /* of an item: see tied.h */
	uint32_t n;	     /* entries: items that are not external */
	uint64_t pools_at, entries_at, index_at, names_at, names_size, size;
};

/* ------------------------------------------------------------ bytes */

static void put(struct sink *sink, uint64_t value, uint32_t size)
{
	unsigned char bytes[8];

	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(value >> (8 * i));
	mp_sink_write(sink, bytes, size);
}

static void pad(struct sink *sink)
{
	while (sink->length % 8 != 0 && sink->error->code == MEMPLAN_OK)
		put(sink, 0, 1);
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
	put(t->sink, VERSION, 4);
	put(t->sink, HEADER_SIZE, 4);
	put(t->sink, t->size, 8);
	put(t->sink, 0, 8);
	put(t->sink, mp_plan_memories(t->plan), 4);
	put(t->sink, POOL_SIZE, 4);
	put(t->sink, t->n, 4);
	put(t->sink, ENTRY_SIZE, 4);
	put(t->sink, t->pools_at, 8);
	put(t->sink, t->entries_at, 8);
	put(t->sink, t->index_at, 8);
	put(t->sink, t->names_at, 8);
	put(t->sink, t->names_size, 8);
	put(t->sink, t->problem->n_steps, 4);
	put(t->sink, 0, 4);
}

/* What every offset is a multiple of: aliases begin at any byte. */
static uint64_t unit(const struct table *t, uint32_t space, uint64_t alignment)
{
	const struct problem *p = t->problem;
	uint64_t bits = alignment;

	for (uint32_t i = 0; i < p->n_items; i++)
		if (!p->items[i].external &&
			mp_plan_space(t->plan, &p->items[i]) == space)
			bits |= mp_plan_offset(t->plan, &p->items[i]);
	return bits & -bits;
}

static void pools(const struct table *t)
{
	for (uint32_t i = 0; i < mp_plan_memories(t->plan); i++) {
		struct space space = mp_plan_memory(t->plan, i);

		put(t->sink, space.size, 8);
		put(t->sink, space.base_alignment, 8);
		put(t->sink, unit(t, i, space.alignment), 8);
	}
}

static void entries(const struct table *t)
{
	uint32_t entry = 0;

	for (uint32_t i = 0; i < t->problem->n_items; i++) {
		const struct item *item = &t->problem->items[i];

		if (item->external)
			continue;
		put(t->sink, mp_plan_offset(t->plan, item), 8);
		put(t->sink, item->size, 8);
		put(t->sink, item->start, 4);
		put(t->sink, item->end, 4);
		put(t->sink, t->name_at[entry++], 4);
		put(t->sink, mp_plan_space(t->plan, item), 2);
		put(t->sink, t->changes[i] ? ITEM_STATE : item->kind, 2);
	}
}

/* The plan's name, then those of the tensors as the index has them: opening a
 * table walks both from end to end. */
static void names(const struct table *t)
{
	mp_sink_write(t->sink, t->problem->name, strlen(t->problem->name) + 1);
	for (uint32_t i = 0; i < t->n; i++)
		mp_sink_write(t->sink, t->sorted[i].text,
			strlen(t->sorted[i].text) + 1);
}

/* -------------------------------------------------------- preparing */

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	if (order != 0)
		return order;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static bool sort_names(struct table *t, struct arena *scratch, struct error *e)
{
	const struct problem *p = t->problem;

	t->sorted = NEW(scratch, struct name, p->n_items);
	t->name_at = NEW(scratch, uint32_t, p->n_items);
	if (!t->sorted || !t->name_at)
		return false;
	for (uint32_t i = 0; i < p->n_items; i++) {
		if (p->items[i].external)
			continue;
		t->sorted[t->n].text = mp_problem_item_label(&p->items[i]);
		t->sorted[t->n].entry = t->n;
		t->n++;
	}
	if (t->n > 0)
		qsort(t->sorted, t->n, sizeof(*t->sorted), by_name);
	t->names_size = strlen(p->name) + 1;
	for (uint32_t i = 0; i < t->n; i++) {
		t->name_at[t->sorted[i].entry] = (uint32_t)t->names_size;
		t->names_size += strlen(t->sorted[i].text) + 1;
	}
	if (t->names_size > UINT32_MAX)
		return mp_fail(e, MEMPLAN_EUSAGE,
			"%s: the names take more than 4 GiB, which a table "
			"cannot hold",
			p->name);
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

bool mp_emit_table(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	struct table t = {.plan = plan, .problem = plan->problem, .sink = sink};

	if (mp_plan_memories(plan) > UINT16_MAX)
		return mp_fail(e, MEMPLAN_EUSAGE,
			"%s: a table holds at most %d pools",
			plan->problem->name, UINT16_MAX);
	t.changes = mp_emit_tied_changes(t.problem, scratch);
	if (!t.changes || !sort_names(&t, scratch, e))
		return false;
	lay_out(&t);
	header(&t);
	pools(&t);
	entries(&t);
	for (uint32_t i = 0; i < t.n; i++)
		put(sink, t.sorted[i].entry, 4);
	pad(sink);
	names(&t);
	pad(sink);
	seal(sink);
	return e->code == MEMPLAN_OK;
}
