/*
 * Output in memory, text or tables. The caller of an emitter owns the sink and
 * decides which file the bytes become.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_SINK_H
#define MP_BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

/* A buffer that grows. After a failed allocation further bytes are ignored, so
 * writers need no checks: the caller looks at the error once at the end. */
struct sink {
	char *bytes;
	size_t length, room;
	size_t pages; /* to so many bytes they grow in place; 0: malloc's */
	struct error *error;
	uint64_t limit; /* most bytes; 0: none */
};

/* Makes room for length more bytes and a NUL. */
bool mp_sink_grow(struct sink *sink, size_t length);

static inline bool mp_sink_has_room(struct sink *sink, size_t length)
{
	return sink->room - sink->length > length || mp_sink_grow(sink, length);
}

/* Inline, as most calls write a few bytes, often of a constant number. */
static inline void mp_sink_write(
	struct sink *sink, const void *bytes, size_t length)
{
	if (length == 0 || !mp_sink_has_room(sink, length))
		return;
	memcpy(sink->bytes + sink->length, bytes, length);
	sink->length += length;
}

/* A number of up to 8 bytes, the lowest first. */
void mp_sink_le(struct sink *sink, uint64_t value, uint32_t size);

void mp_sink_print(struct sink *sink, const char *format, ...) MP_PRINTF(2, 3);
void mp_sink_free(struct sink *sink);

#endif
