/*
 * What fuzz targets have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mp_testing_fuzz_expect(bool holds, const char *format, ...)
{
	va_list arguments;

	if (holds)
		return;
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	abort();
}

uint32_t mp_testing_fuzz_split(const uint8_t *data, size_t size,
	struct input_file *files, uint32_t most)
{
	static const char *const names[] = {
		"a", "b", "c", "d", "e", "f", "g", "h"};
	const char *at = (const char *)data;

	assert(most <= countof(names));
	for (uint32_t i = 0; i < most; i++) {
		const char *end = size > 0 ? memchr(at, 0x1e, size) : NULL;
		size_t length = end && i + 1 < most ? (size_t)(end - at) : size;

		files[i] = (struct input_file){names[i], at, length};
		if (length == size)
			return i + 1;
		at += length + 1;
		size -= length + 1;
	}
	return most;
}

memplan *mp_testing_fuzz_handle(const struct input_file *graph)
{
	memplan *m = memplan_new();

	mp_testing_fuzz_expect(m, "no handle");
	memplan_set(m, "steps", "200");
	memplan_set(m, "max-memory", "256MiB");
	memplan_input(m, "graph", graph->name, graph->bytes, graph->length);
	return m;
}

bool mp_testing_fuzz_is_fine(const memplan *m, enum memplan_status status)
{
	const char *text = memplan_error(m);

	mp_testing_fuzz_expect((status == MEMPLAN_OK) == (text[0] == '\0'),
		"status %d: '%s'", (int)status, text);
	mp_testing_fuzz_expect(status != MEMPLAN_EINTERNAL, "%s", text);
	return status == MEMPLAN_OK;
}

void mp_testing_fuzz_read(const struct input *input,
	bool (*read)(const struct input *input, struct graph *graph,
		struct arena *arena, struct error *e))
{
	struct error e = {0};
	struct arena arena = {.error = &e, .limit = 256 << 20};
	struct graph graph = {.name = "model", .place = "model"};
	bool fine = read(input, &graph, &arena, &e) &&
		    mp_graph_link(&graph, &arena, &e) &&
		    mp_graph_constrain(&graph, &arena, &e);

	mp_testing_fuzz_expect(fine == (e.code == MEMPLAN_OK),
		"%s, with status %d: '%s'", fine ? "read" : "refused",
		(int)e.code, e.text);
	mp_testing_fuzz_expect(e.code != MEMPLAN_EINTERNAL, "%s", e.text);
	mp_arena_free(&arena);
}
