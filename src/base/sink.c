/*
 * A buffer that grows, and formatted printing into it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/sink.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/pages.h"
#include "base/sink-text.h"

enum {
	FIRST_ROOM = 4096,
	PRINT_ROOM = 128, /* what most formatted texts fit in */
};

/* Records that memory is out, and leaves no room for later bytes. */
static bool fail_memory(struct sink *sink, size_t wanted)
{
	sink->room = sink->length;
	return mp_fail(sink->error, MEMPLAN_ENOMEM,
		"out of memory: %zu byte%s of output%s", wanted,
		mp_text_plural(wanted),
		sink->limit && wanted > sink->limit ? ", over max-memory" : "");
}

static void free_bytes(struct sink *sink)
{
	if (sink->pages == 0)
		free(sink->bytes);
	else
		mp_pages_give(sink->bytes, sink->pages);
}

/* Where the bytes are when there is more room, in place if that can be; NULL:
 * memory is out. */
static char *resize(struct sink *sink, size_t room)
{
	size_t pages;
	char *bytes;

	if (room < PAGES_FROM)
		return realloc(sink->bytes, room);
	if (room <= sink->pages)
		return mp_pages_grow(sink->bytes, sink->room, room)
			       ? sink->bytes
			       : NULL;
	bytes = mp_pages_take(room, &pages);
	if (!bytes)
		return NULL;
	if (sink->length > 0)
		memcpy(bytes, sink->bytes, sink->length);
	free_bytes(sink);
	sink->pages = pages;
	return bytes;
}

/* The bytes grow by half each time. */
bool mp_sink_grow(struct sink *sink, size_t length)
{
	size_t room = sink->room > FIRST_ROOM ? sink->room : FIRST_ROOM;
	char *bytes = NULL;

	assert(sink->length <= sink->room);
	if (sink->error->code != MEMPLAN_OK)
		return false;
	while (room - sink->length <= length)
		room += room / 2;
	if (room == sink->room)
		return true;
	if (sink->limit == 0 || room <= sink->limit)
		bytes = resize(sink, room);
	if (!bytes)
		return fail_memory(sink, room);
	sink->bytes = bytes;
	sink->room = room;
	return true;
}

void mp_sink_le(struct sink *sink, uint64_t value, uint32_t size)
{
	unsigned char bytes[8];

	assert(size <= sizeof(bytes));
	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(value >> (8 * i));
	mp_sink_write(sink, bytes, size);
}

/* Formats into the free room first; most of the time that is enough. */
void mp_sink_print(struct sink *sink, const char *format, ...)
{
	va_list arguments, again;
	size_t room;
	int length;

	if (!mp_sink_has_room(sink, PRINT_ROOM))
		return;
	room = sink->room - sink->length;
	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(sink->bytes + sink->length, room, format, arguments);
	if (length >= 0 && (size_t)length >= room) {
		if (mp_sink_has_room(sink, (size_t)length))
			vsnprintf(sink->bytes + sink->length,
				(size_t)length + 1, format, again);
		else
			length = 0;
	}
	va_end(again);
	va_end(arguments);
	if (length > 0)
		sink->length += (size_t)length;
	assert(sink->length < sink->room);
}

void mp_sink_free(struct sink *sink)
{
	free_bytes(sink);
	sink->bytes = NULL;
	sink->length = sink->room = sink->pages = 0;
}
