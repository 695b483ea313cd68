/*
 * The state of the CSV reader, and its cells. Only for this folder.
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
	const char *at, *end; /* the part that is not read yet */
	uint32_t line;
	uint32_t n_cells, n_columns; /* of this line, of the header */
	struct cell cells[MOST_CELLS];
	uint32_t place[N_COLUMNS]; /* of a column: its cell; NONE: missing */
	bool inclusive;		   /* column 'end' has the last step alive */
	char *texts, *texts_end;   /* free bytes for copies of texts */
	struct graph *graph;
	struct memory_pool *pools; /* the graph's; NULL: none yet */
	struct names pool_names;
	uint32_t n_lines;    /* at most */
	uint32_t last_pool;  /* the pool that a row named last */
	uint32_t any_line;   /* first line without a pool; 0: there is none */
	uint32_t fixed_line; /* first such line with an offset; 0: likewise */
	struct time_span *spans;
	struct gap_list gaps;
	struct arena *arena;
	struct error *error;
};

/* Records an error at the current line. */
bool mp_input_csv_fail(const struct csv *csv, const char *sentence);

/* The same for a cell: "COLUMN 'CELL' must be WANTED". */
bool mp_input_csv_fail_cell(const struct csv *csv, const char *column,
	const struct cell *cell, const char *wanted);

/* The next line without its end, which may be LF or CRLF or missing. */
struct cell mp_input_csv_line(struct csv *csv);

/* Splits a line into cells. */
bool mp_input_csv_split(struct csv *csv, const char *at, const char *end);

bool mp_input_csv_only_blank_left(const struct csv *csv);

/* A copy of a cell, or NULL when memory is out. */
const char *mp_input_csv_copy_cell(struct csv *csv, const struct cell *cell);

/* A copy of a line without the cells of pool and offset. */
const char *mp_input_csv_copy_line(struct csv *csv, const struct cell *line);

/* A decimal integer; false if the cell is anything else or exceeds 64 bits. */
bool mp_input_csv_number(const struct cell *cell, int64_t *value);

/* Reads the gaps of a tensor, after its lifetime and size. */
bool mp_input_csv_gaps(
	struct csv *csv, const struct cell *cell, uint32_t tensor);

/* Reads the pool of a tensor, of which all other columns are read. The first
 * row that names a pool creates it. cell is NULL if the row names none. */
bool mp_input_csv_pool(
	struct csv *csv, const struct cell *cell, struct tensor *tensor);

/* After the last row: sets the pools of the graph. */
bool mp_input_csv_end_pools(struct csv *csv);

#endif
