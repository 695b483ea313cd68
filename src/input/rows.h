/*
 * The functions of all readers; what each reads stands in its own file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_ROWS_H
#define MP_INPUT_ROWS_H

#include "input/input.h"

bool mp_input_plan_json_recognise(const struct input_file *file);
bool mp_input_plan_json_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e);

bool mp_input_graph_json_recognise(const struct input_file *file);
bool mp_input_graph_json_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e);

bool mp_input_io_info_recognise(const struct input_file *file);
bool mp_input_io_info_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e);

bool mp_input_ge_log_recognise(const struct input_file *file);
bool mp_input_ge_log_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e);

bool mp_input_somas_log_recognise(const struct input_file *file);
bool mp_input_somas_log_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e);

bool mp_input_somas_info_recognise(const struct input_file *file);
bool mp_input_somas_info_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e);

bool mp_input_somas_input_recognise(const struct input_file *file);
bool mp_input_somas_input_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e);

bool mp_input_csv_recognise(const struct input_file *file);
bool mp_input_csv_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e);

/* Offsets that SOMAS's solver found, for a graph from another of its dumps. */
bool mp_input_somas_output_recognise(const struct input_file *file);
bool mp_input_somas_output_read(const struct input_file *file,
	struct graph *graph, struct arena *arena, struct error *e);

/* Fills the graph's solution from a solver's answer. */
bool mp_input_solution_read(const struct input_file *file, struct graph *graph,
	struct arena *arena, struct error *e);

#endif
