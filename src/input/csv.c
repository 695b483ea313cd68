/* SPDX-License-Identifier: MIT */
#include "input/rows.h"

bool mp_csv_recognise(const struct input_file *file)
{
	return file->length > 0 && file->bytes[0] != '{' &&
	       file->bytes[0] != '[';
}

bool mp_csv_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	(void)graph;
	(void)arena;
	return mp_fail(e, MEMPLAN_EINPUT, "%s:1: not a CSV problem",
		input->files[ROLE_MAIN].name);
}
