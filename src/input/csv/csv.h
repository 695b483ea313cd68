/*
 * What the CSV reader is made of: its state, and the cells that it reads. Used
 * by csv.c alone.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_CSV_CSV_H
#define MP_INPUT_CSV_CSV_H

#include "base/names.h"
#include "graph/graph.h"
#include "input/times.h"

enum {
	MOST_CELLS = 64,
};

enum column {
	COLUMN_ID,
	COLUMN_LOWER,
	COLUMN_UPPER,
	COLUMN_SIZE,
	COLUMN_ALIGNMENT,
	COLUMN_OFFSET,
	COLUMN_GAPS,
	COLUMN_POOL,
	N_COLUMNS,
};

struct cell {
	const char *at, *end;
};

struct csv {
	const char *file;
	const char *at, *end; /* what is left to read */
	uint32_t line;
	uint32_t n_cells, n_columns; /* of this line, of the header */
	struct cell cells[MOST_CELLS];
	uint32_t place[N_COLUMNS]; /* which cell; NONE: no such column */
	bool inclusive;		   /* the right end is in a column 'end' */
	char *pool, *pool_end;	   /* room for texts */
	struct graph *graph;
	struct memory_pool *pools; /* the graph's; NULL: none yet */
	struct names pool_names;
	uint32_t n_lines;	       /* at most */
	uint32_t last_pool;	       /* of the row that named one last */
	uint32_t any_line, fixed_line; /* first ones that name none, and have an
					  offset; 0: there is no such line */
	struct time_span *spans;
	struct gap_list gaps;
	struct arena *arena;
	struct error *error;
};

/* Records an error at the current line. */
bool mp_input_csv_fail(const struct csv *csv, const char *sentence);

/* The same, on what stands in a cell and what should. */
bool mp_input_csv_fail_cell(const struct csv *csv, const char *column,
	const struct cell *cell, const char *wanted);

/* The next line without its end, which may be LF or CRLF or missing. */
struct cell mp_input_csv_line(struct csv *csv);

/* Cuts a line into the cells. */
bool mp_input_csv_split(struct csv *csv, const char *at, const char *end);

bool mp_input_csv_only_blank_left(const struct csv *csv);

/* A copy of a cell, or NULL when memory is out. */
const char *mp_input_csv_copy_cell(struct csv *csv, const struct cell *cell);

/* A copy of a line as it is, less the cells of pool and offset. */
const char *mp_input_csv_copy_line(struct csv *csv, const struct cell *line);

/* Digits with an optional sign; false if the cell is anything else or too
 * large. */
bool mp_input_csv_number(const struct cell *cell, int64_t *value);

/* Reads a cell of gaps in the lifetime of a tensor that has been read. */
bool mp_input_csv_gaps(
	struct csv *csv, const struct cell *cell, uint32_t tensor);

/* The pool that a row names, which the first row that does so makes. NULL: it
 * names none. The tensor has been read otherwise. */
bool mp_input_csv_pool(
	struct csv *csv, const struct cell *cell, struct tensor *tensor);

/* Behind the last row: what the rows have made becomes the graph's. */
bool mp_input_csv_end_pools(struct csv *csv);

#endif
