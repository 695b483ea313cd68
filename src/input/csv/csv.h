/*
 * The state of the CSV reader, and its cells. Only for this folder.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_CSV_CSV_H
#define MP_INPUT_CSV_CSV_H

#include <string.h>

#include "base/names.h"
#include "input/lines.h"
#include "input/times.h"

enum {
	MOST_CELLS = 64,
	FILE_PARTS = 8 /* of a file */
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

struct csv {
	struct text_lines lines;
	uint32_t n_cells, n_columns; /* of this line, of the header */
	struct text cells[MOST_CELLS];
	uint32_t place[N_COLUMNS]; /* of a column: its cell; NONE: missing */
	bool inclusive;		   /* column 'end' has the last step alive */
	bool is_plain; /* besides pool and offset the columns are those of
			  csv-plain.c */
	char *texts, *texts_end; /* free bytes for copies of texts */
	struct text id;		 /* of the last row, in the graph */
	bool ids_ascend;	 /* short ones first, so none is there twice */
	struct graph *graph;
	struct memory_pool *pools; /* the graph's; NULL: none yet */
	struct names pool_names;
	uint32_t n_lines;    /* at most */
	uint32_t last_pool;  /* the pool that a row named last */
	uint32_t any_line;   /* first line without a pool; 0: there is none */
	uint32_t fixed_line; /* first such line with an offset; 0: likewise */
	struct text parts[FILE_PARTS]; /* of the file, whole lines */
	uint32_t lines_of[FILE_PARTS], n_parts;
	struct time_span *spans;
	struct gap_list gaps;
	struct arena *arena;
};

/* Records an error at the current line: "COLUMN 'CELL' must be WANTED". */
bool mp_input_csv_fail_cell(const struct csv *csv, const char *column,
	struct text cell, const char *wanted);

/* Splits a line into cells. */
bool mp_input_csv_split(struct csv *csv, struct text line);

/* A copy of a cell, or NULL when memory is out. */
const char *mp_input_csv_copy_cell(struct csv *csv, struct text cell);

/* A copy of a line without the cells of pool and offset. */
const char *mp_input_csv_copy_line(struct csv *csv, struct text line);

/* Forgets the last copy. */
void mp_input_csv_drop_copy(struct csv *csv, const char *copy);

/* Adds an id to the row, which is a copy of it. */
bool mp_input_csv_add_id(
	struct csv *csv, struct text id, struct tensor *tensor);

/* Does an id come behind another, short ones first? */
static inline bool mp_input_csv_ascends(struct text before, struct text id)
{
	ptrdiff_t length = id.end - id.at, other = before.end - before.at;

	return length > other ||
	       (length == other &&
		       memcmp(id.at, before.at, (size_t)length) > 0);
}

/* Reads rows from this one on, as many as are plain, and moves it behind them.
 * False: memory is out. */
bool mp_input_csv_read_plain(struct csv *csv, uint32_t *row);

/* Cuts the file into parts that threads may read, and counts their lines. */
void mp_input_csv_cut(struct csv *csv);

/* Reads plain rows of all parts, up to the first row that is not plain. */
void mp_input_csv_read_parts(struct csv *csv);

/* Is the row what a program prints of these facts? */
bool mp_input_csv_is_plain(const struct csv *csv, const char *row,
	const struct tensor *tensor, const struct time_span *span);

/* Removes a decimal integer at the front. False: there is none, or it exceeds
 * 64 bits. */
static inline bool mp_input_csv_take_number(struct text *cell, int64_t *value)
{
	bool negative = cell->at < cell->end && *cell->at == '-';
	uint64_t size;

	cell->at += negative;
	if (!mp_input_lines_take_number(cell, UINT64_C(1) << 63, &size) ||
		(size > INT64_MAX && !negative))
		return false;
	*value = (int64_t)(negative ? 0 - size : size);
	return true;
}

#endif
