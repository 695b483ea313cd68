/*
 * Emitters: rows that turn a plan into bytes. An emitter knows no planner and
 * writes to a struct sink, never to a file; who owns the sink decides where the
 * bytes go and that files appear whole or not at all.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_H
#define MP_EMIT_H

#include <stddef.h>
#include <string.h>

#include "plan.h"

/* Bytes that grow. After a failed allocation it swallows the rest, so writers
 * need no checks: the end asks once. */
struct sink {
	char *bytes;
	size_t length, room;
	struct error *error;
	uint64_t limit; /* most bytes; 0: none */
};

/* Makes room for length more bytes and a NUL. */
bool mp_sink_grow(struct sink *sink, size_t length);

static inline bool mp_sink_has_room(struct sink *sink, size_t length)
{
	return sink->room - sink->length > length || mp_sink_grow(sink, length);
}

/* Inline, as most of what is written is a few bytes whose number is known. */
static inline void mp_sink_write(
	struct sink *sink, const void *bytes, size_t length)
{
	if (length == 0 || !mp_sink_has_room(sink, length))
		return;
	memcpy(sink->bytes + sink->length, bytes, length);
	sink->length += length;
}

void mp_sink_print(struct sink *sink, const char *format, ...) MP_PRINTF(2, 3);
void mp_sink_free(struct sink *sink);

struct emitter {
	const char *name;   /* what list prints */
	const char *suffix; /* of the file names that mean this row: ".svg";
			       NULL: a report, asked for by name */
	const char *summary;
	bool (*run)(const struct plan *plan, struct sink *sink,
		struct arena *scratch, struct error *e);
	bool one_pool; /* it has no room for several */
};

extern const struct emitter mp_emitters[];
extern const uint32_t mp_n_emitters;

/* The row whose suffix ends the file name, or NULL. The longest one wins. */
const struct emitter *mp_emitter_for(const char *file_name);

/* The row of that name, or NULL. */
const struct emitter *mp_emitter_find(const char *name);

#endif
