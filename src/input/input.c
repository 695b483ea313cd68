/*
 * The table of readers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/input.h"

#include <string.h>

#include "input/rows.h"

const struct reader mp_readers[] = {
	{"plan", "plan JSON: a graph with lifetimes and offsets",
		mp_plan_json_recognise, mp_plan_json_read},
	{"graph", "graph JSON: ops, tensors, dependences",
		mp_graph_json_recognise, mp_graph_json_read},
	{"io-info", "trace of HeuristicAllocator's profiler: three files",
		mp_io_info_recognise, mp_io_info_read},
	{"csv", "buffers with pinned lifetimes, MiniMalloc's columns",
		mp_csv_recognise, mp_csv_read},
};

const uint32_t mp_n_readers = countof(mp_readers);

/* The file's name without folders, cut at its first dot. */
static const char *name_of(const char *path, struct arena *arena)
{
	const char *base = strrchr(path, '/'), *dot;

	base = base ? base + 1 : path;
	dot = strchr(base, '.');
	if (!dot || dot == base)
		dot = base + strlen(base);
	return mp_arena_text(arena, base, (size_t)(dot - base));
}

bool mp_input_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	const struct input_file *file = &input->files[ROLE_MAIN];

	*graph = (struct graph){.place = file->name};
	graph->name = name_of(file->name, arena);
	if (!graph->name)
		return false;
	for (uint32_t i = 0; i < mp_n_readers; i++)
		if (mp_readers[i].recognise(file))
			return mp_readers[i].read(input, graph, arena, e);
	return mp_fail(e, MEMPLAN_EINPUT,
		"%s: neither JSON nor a CSV file with a header", file->name);
}
