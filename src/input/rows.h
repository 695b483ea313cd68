/*
 * The functions of all readers; each file says which format it reads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_ROWS_H
#define MP_INPUT_ROWS_H

#include "input/input.h"

reader_recognise mp_input_plan_json_recognise;
reader_recognise mp_input_graph_json_recognise;
reader_recognise mp_input_io_info_recognise;
reader_recognise mp_input_ge_log_recognise;
reader_recognise mp_input_somas_log_recognise;
reader_recognise mp_input_somas_info_recognise;
reader_recognise mp_input_somas_input_recognise;
reader_recognise mp_input_csv_recognise;
reader_recognise mp_input_somas_output_recognise; /* a solution */

reader_read mp_input_plan_json_read;
reader_read mp_input_graph_json_read;
reader_read mp_input_io_info_read;
reader_read mp_input_ge_log_read;
reader_read mp_input_somas_log_read;
reader_read mp_input_somas_info_read;
reader_read mp_input_somas_input_read;
reader_read mp_input_csv_read;

/* Sets the offsets of a graph, which was read from another dump of SOMAS, to
 * those that SOMAS's solver found. */
bool mp_input_somas_output_read(const struct input_file *file,
	struct graph *graph, struct arena *arena, struct error *e);

/* Fills the graph's solution from the output of a solver, of any kind. */
bool mp_input_solution_read(const struct input_file *file, struct graph *graph,
	struct arena *arena, struct error *e);

#endif
