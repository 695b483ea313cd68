/*
 * tflite: the TFLite model that was read, with the plan's offsets in it. The
 * whole old file stays as it is, behind a new outermost table: that refers to
 * the old parts, but for the lists of buffers and of metadata, which are new
 * and have one entry more. The new part has a multiple of 64 bytes, so what is
 * aligned in the old file stays aligned. docs/formats/tflite.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "emit/rows.h"
#include "emit/tflite/tflm-offline.h"
#include "graph/tflite-file.h"

enum {
	FRONT_ALIGN = 64, /* of what is put in front of the old file */
	DATA_ALIGN = 16,  /* of the bytes of a buffer */
	VTABLE_HEAD = 4,
	METADATA_VTABLE = 8,
	METADATA_TABLE = 12,
	BUFFER_VTABLE = 6,
	BUFFER_TABLE = 8,
	NAME_SIZE = 4 + (sizeof(TFLITE_OFFSETS) + 3) / 4 * 4,
};

/* Where the new parts lie: positions of tables, and of the lengths that
 * vectors and texts begin with. */
struct front {
	const struct tflite_file *file;
	struct sink *sink;
	uint32_t n_fields; /* of the model: the highest, plus 1 */
	uint64_t model, buffers, metadata, entry, name, buffer, data;
	uint64_t size;
};

static bool has_field(const struct front *f, uint32_t field)
{
	return field == MODEL_VERSION || field == MODEL_BUFFERS ||
	       field == MODEL_METADATA || f->file->field[field] != 0;
}

static uint32_t count_fields(const struct front *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n_fields; i++)
		n += has_field(f, i);
	return n;
}

static uint64_t up(uint64_t position, uint64_t alignment)
{
	return (position + alignment - 1) / alignment * alignment;
}

static void lay_out(struct front *f, uint64_t data_size)
{
	f->n_fields = N_MODEL;
	while (!has_field(f, f->n_fields - 1))
		f->n_fields--;
	f->model = up(8 + VTABLE_HEAD + 2 * f->n_fields, 4);
	f->buffers = f->model + 4 + 4 * count_fields(f);
	f->metadata = f->buffers + 4 + 4 * ((uint64_t)f->file->buffers.n + 1);
	f->entry = f->metadata + 4 + 4 * ((uint64_t)f->file->metadata.n + 1) +
		   METADATA_VTABLE;
	f->name = f->entry + METADATA_TABLE;
	f->buffer = up(f->name + NAME_SIZE + BUFFER_VTABLE, 4);
	f->data = up(f->buffer + BUFFER_TABLE + 4, DATA_ALIGN) - 4;
	f->size = up(f->data + 4 + data_size, FRONT_ALIGN);
}

/* ------------------------------------------------------------ bytes */

static void put(const struct front *f, uint64_t value, uint32_t size)
{
	mp_sink_le(f->sink, value, size);
}

static void pad_to(const struct front *f, uint64_t position)
{
	while (f->sink->length < position && f->sink->error->code == MEMPLAN_OK)
		put(f, 0, 1);
	assert(f->sink->length == position ||
		f->sink->error->code != MEMPLAN_OK);
}

/* A reference is the distance from itself to what it refers to. */
static void refer(const struct front *f, uint64_t to)
{
	assert(to > f->sink->length || f->sink->error->code != MEMPLAN_OK);
	put(f, to - f->sink->length, 4);
}

static void refer_to_old(const struct front *f, uint32_t to)
{
	refer(f, f->size + to);
}

/* ------------------------------------------------------------ parts */

static void put_model(const struct front *f)
{
	uint32_t at = 4;

	refer(f, f->model);
	mp_sink_write(f->sink, "TFL3", 4);
	put(f, VTABLE_HEAD + 2 * f->n_fields, 2);
	put(f, 4 + 4 * count_fields(f), 2);
	for (uint32_t i = 0; i < f->n_fields; i++) {
		put(f, has_field(f, i) ? at : 0, 2);
		at += has_field(f, i) ? 4 : 0;
	}
	pad_to(f, f->model);
	put(f, f->model - 8, 4);
	put(f, f->file->version, 4);
	for (uint32_t i = MODEL_VERSION + 1; i < f->n_fields; i++) {
		if (i == MODEL_BUFFERS)
			refer(f, f->buffers);
		else if (i == MODEL_METADATA)
			refer(f, f->metadata);
		else if (has_field(f, i))
			refer_to_old(f, f->file->field[i]);
	}
}

/* The old entries of a list, and a new one. */
static void put_list(const struct front *f, const struct ids *old, uint64_t own)
{
	put(f, (uint64_t)old->n + 1, 4);
	for (uint32_t i = 0; i < old->n; i++)
		refer_to_old(f, old->at[i]);
	refer(f, own);
}

static void put_metadata(const struct front *f)
{
	put(f, METADATA_VTABLE, 2);
	put(f, METADATA_TABLE, 2);
	put(f, 4, 2);
	put(f, 8, 2);
	put(f, METADATA_VTABLE, 4);
	refer(f, f->name);
	put(f, f->file->buffers.n, 4);
	put(f, strlen(TFLITE_OFFSETS), 4);
	mp_sink_write(f->sink, TFLITE_OFFSETS, strlen(TFLITE_OFFSETS));
	pad_to(f, f->buffer - BUFFER_VTABLE);
}

static void put_buffer(
	const struct front *f, const struct plan *plan, struct arena *scratch)
{
	put(f, BUFFER_VTABLE, 2);
	put(f, BUFFER_TABLE, 2);
	put(f, 4, 2);
	put(f, BUFFER_VTABLE, 4);
	refer(f, f->data);
	pad_to(f, f->data);
	put(f, mp_emit_tflm_size(plan), 4);
	mp_emit_tflm_offsets(plan, f->sink, scratch);
	pad_to(f, f->size);
}

static bool may_write(
	const struct plan *plan, const struct front *f, struct error *e)
{
	const char *name = plan->schedule->graph->name;

	if (f->file->refusal)
		return mp_fail(e, MEMPLAN_EUSAGE,
			"%s: the model cannot be written anew: %s; "
			"-o FILE.tflm.bin has the offsets alone",
			name, f->file->refusal);
	return f->size + f->file->length <= INT32_MAX ||
	       mp_fail(e, MEMPLAN_EUSAGE,
		       "%s: the model would have more than 2 GiB; -o "
		       "FILE.tflm.bin has the offsets alone",
		       name);
}

void mp_emit_tflite(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	struct front f = {.file = plan->schedule->graph->tflite, .sink = sink};

	lay_out(&f, mp_emit_tflm_size(plan));
	if (!mp_emit_tflm_check(plan, scratch->error) ||
		!may_write(plan, &f, scratch->error))
		return;
	put_model(&f);
	put_list(&f, &f.file->buffers, f.buffer);
	put_list(&f, &f.file->metadata, f.entry);
	put_metadata(&f);
	put_buffer(&f, plan, scratch);
	mp_sink_write(sink, f.file->bytes, f.file->length);
}
