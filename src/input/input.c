/*
 * The table of readers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/input.h"

#include "input/rows.h"

const struct reader mp_readers[] = {
	{"csv", "buffers with pinned lifetimes, MiniMalloc's columns",
		mp_csv_recognise, mp_csv_read},
};

const uint32_t mp_n_readers = countof(mp_readers);

bool mp_input_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	const struct input_file *file = &input->files[ROLE_MAIN];

	*graph = (struct graph){0};
	graph->place = file->name;
	for (uint32_t i = 0; i < mp_n_readers; i++)
		if (mp_readers[i].recognise(file))
			return mp_readers[i].read(input, graph, arena, e);
	return mp_fail(e, MEMPLAN_EINPUT,
		"%s: neither JSON nor a CSV file with a header", file->name);
}
