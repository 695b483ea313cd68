/*
 * The functions of all readers; what each reads stands in its own file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_ROWS_H
#define MP_INPUT_ROWS_H

#include "input/input.h"

#define ROW(name, summary, recognise, read)                                    \
	reader_recognise recognise;                                            \
	reader_read read;
#include "input/readers.def"
#undef ROW

/* Offsets that SOMAS's solver found, for a graph from another of its dumps. */
bool mp_input_somas_output_recognise(const struct input_file *file);
bool mp_input_somas_output_read(const struct input_file *file,
	struct graph *graph, struct arena *arena, struct error *e);

/* Fills the graph's solution from a solver's answer. */
bool mp_input_solution_read(const struct input_file *file, struct graph *graph,
	struct arena *arena, struct error *e);

#endif
