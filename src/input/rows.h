/*
 * The functions of all readers, and what several of them share. Each file says
 * which format it reads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_ROWS_H
#define MP_INPUT_ROWS_H

#include "input/input.h"
#include "json/json.h"

#define ROW(name, summary, recognise, read)                                    \
	reader_recognise recognise;                                            \
	reader_read read;
#include "input/readers.def"
#undef ROW

/* Is the file a solution of SOMAS, which is no graph of its own? */
reader_recognise mp_input_somas_output_recognise;

/* Sets the offsets of a graph, which was read from another dump of SOMAS, to
 * those that SOMAS's solver found. */
bool mp_input_somas_output_read(const struct input_file *file,
	struct graph *graph, struct arena *arena, struct error *e);

/* Fixes the offsets and pools of a graph, which was read from a problem of
 * dsa-solver, to those of its solution. */
bool mp_input_dsa_solution_read(const struct input_file *file,
	struct graph *graph, struct arena *arena, struct error *e);

/* Sets the graph's pools, and lists of them: list 0 has all pools, list k + 1
 * only pool k. */
bool mp_input_pools_set(struct graph *graph, const struct memory_pool *pools,
	uint32_t n, struct arena *arena);

/* Reads the banks of a pool, an object with two keys: the bytes of a bank, and
 * how many there are. */
bool mp_input_banks(const struct json_at *at, const struct json_key keys[2],
	struct banks *banks);

/* Fills the graph's solution from the output of a solver, of any kind. */
bool mp_input_solution_read(const struct input_file *file, struct graph *graph,
	struct arena *arena, struct error *e);

#endif
