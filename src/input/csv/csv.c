/*
 * MiniMalloc's CSV: a header names the columns in any order; every further line
 * is a buffer with a pinned lifetime. The output repeats rows and ids
 * unchanged: what cannot be printed again is copied.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/csv/csv.h"

#include <assert.h>
#include <string.h>

#include "base/names.h"
#include "input/rows.h"

/* ----------------------------------------------------------- header */

static const struct {
	const char *name;
	enum column column;
} known_columns[] = {
	{"id", COLUMN_ID},
	{"buffer", COLUMN_ID},
	{"buffer_id", COLUMN_ID},
	{"lower", COLUMN_LOWER},
	{"start", COLUMN_LOWER},
	{"begin", COLUMN_LOWER},
	{"upper", COLUMN_UPPER},
	{"end", COLUMN_UPPER},
	{"size", COLUMN_SIZE},
	{"alignment", COLUMN_ALIGNMENT},
	{"offset", COLUMN_OFFSET},
	{"gaps", COLUMN_GAPS},
	{"pool", COLUMN_POOL},
};

/* Rows of these can be printed again. */
static const char plain_header[] = "id,lower,upper,size";

static bool name_column(struct csv *csv, uint32_t i)
{
	struct text cell = csv->cells[i];

	for (uint32_t k = 0; k < i; k++)
		if (mp_input_lines_same(cell, csv->cells[k]))
			return mp_input_csv_fail_cell(
				csv, "column", cell, "named once");
	for (size_t k = 0; k < countof(known_columns); k++) {
		enum column column = known_columns[k].column;

		if (!mp_input_lines_is(cell, known_columns[k].name))
			continue;
		if (csv->place[column] != NONE)
			return mp_input_csv_fail_cell(csv, "column", cell,
				"left out: another one means the same");
		csv->place[column] = i;
		csv->inclusive |= mp_input_lines_is(cell, "end");
	}
	return true;
}

static bool check_columns(const struct csv *csv)
{
	static const char *const names[] = {"id", "lower", "upper", "size"};

	for (uint32_t i = COLUMN_ID; i <= COLUMN_SIZE; i++)
		if (csv->place[i] == NONE)
			return mp_input_lines_fail(&csv->lines,
				"the header has no column '%s': it names "
				"columns like id,lower,upper,size, separated "
				"by commas; 'memplan list inputs' has the "
				"other formats",
				names[i]);
	return true;
}

static bool read_header(struct csv *csv)
{
	struct text line;

	if (!mp_input_lines_next(&csv->lines, &line) ||
		!mp_input_csv_split(csv, line))
		return false;
	csv->n_columns = csv->n_cells;
	for (uint32_t i = 0; i < N_COLUMNS; i++)
		csv->place[i] = NONE;
	for (uint32_t i = 0; i < csv->n_cells; i++)
		if (!name_column(csv, i))
			return false;
	if (!check_columns(csv))
		return false;
	csv->graph->csv_header = mp_input_csv_copy_line(csv, line);
	csv->is_plain = csv->graph->csv_header &&
			strcmp(csv->graph->csv_header, plain_header) == 0;
	return csv->graph->csv_header != NULL;
}

/* ------------------------------------------------------------ cells */

/* The cell of a column; an empty one if there is no such column. */
static struct text cell_of(const struct csv *csv, enum column column)
{
	uint32_t place = csv->place[column];

	assert(place == NONE || place < csv->n_cells);
	return place == NONE ? (struct text){NULL, NULL} : csv->cells[place];
}

/* Is the whole cell an integer of 64 bits? */
static bool read_number(struct text cell, int64_t *value)
{
	return mp_input_csv_take_number(&cell, value) && cell.at == cell.end;
}

static bool read_span(const struct csv *csv, struct time_span *span)
{
	struct text lower = csv->cells[csv->place[COLUMN_LOWER]];
	struct text upper = csv->cells[csv->place[COLUMN_UPPER]];
	const char *name = csv->inclusive ? "end" : "upper";

	if (!read_number(lower, &span->start))
		return mp_input_csv_fail_cell(
			csv, "lower", lower, "a signed 64-bit integer");
	if (!read_number(upper, &span->end) ||
		(csv->inclusive && span->end == INT64_MAX))
		return mp_input_csv_fail_cell(
			csv, name, upper, "a signed 64-bit integer");
	span->end += csv->inclusive;
	if (span->start == span->end && !csv->inclusive)
		return mp_input_csv_fail_cell(csv, name, upper,
			"greater than lower: [lower, upper) is empty; call "
			"the column 'end' if it counts as alive");
	return span->start < span->end ||
	       mp_input_csv_fail_cell(csv, name, upper,
		       csv->inclusive ? "at least lower"
				      : "greater than lower");
}

static bool read_alignment(const struct csv *csv, struct tensor *tensor)
{
	struct text cell = cell_of(csv, COLUMN_ALIGNMENT);
	int64_t value = 1;

	if (cell.at < cell.end && (!read_number(cell, &value) || value < 1 ||
					  value > INT64_C(1) << 30 ||
					  !num_is_pow2((uint64_t)value)))
		return mp_input_csv_fail_cell(csv, "alignment", cell,
			"a power of two from 1 to 1073741824");
	tensor->align = (uint32_t)value;
	return true;
}

static bool read_offset(const struct csv *csv, struct tensor *tensor)
{
	struct text cell = cell_of(csv, COLUMN_OFFSET);
	int64_t value = -1;
	uint64_t end;

	if (cell.at < cell.end && (!read_number(cell, &value) || value < -1))
		return mp_input_csv_fail_cell(csv, "offset", cell,
			"an integer from 0, or empty or -1 where it is free");
	tensor->placed = value >= 0;
	if (!tensor->placed)
		return true;
	tensor->offset = (uint64_t)value;
	return num_add(tensor->offset, tensor->size, &end) ||
	       mp_input_csv_fail_cell(
		       csv, "offset", cell, "at most 2^62 less the size");
}

static bool read_size(const struct csv *csv, struct tensor *tensor)
{
	struct text cell = csv->cells[csv->place[COLUMN_SIZE]];
	int64_t value;

	if (!read_number(cell, &value) || value < 0 ||
		(uint64_t)value > NUM_MAX_BYTES)
		return mp_input_csv_fail_cell(csv, "size", cell,
			"an integer from 0 to 4611686018427387904");
	tensor->size = (uint64_t)value;
	return true;
}

/* ------------------------------------------------------------- gaps */

/* The column of gaps: a list, separated by blanks, of `lower-upper`, in which
 * the buffer needs no bytes, or `lower-upper@low:high`, in which it needs only
 * bytes [low, high). */
static bool fail_gaps(const struct csv *csv, struct text cell)
{
	return mp_input_csv_fail_cell(csv, "gaps", cell,
		"a list like '2-5 7-9', or '2-5@0:64' where bytes 0 to 64 are "
		"needed in between");
}

static bool read_gap(struct text item, bool inclusive, struct lifetime_gap *gap,
	struct time_span *span)
{
	if (!mp_input_csv_take_number(&item, &span->start) ||
		!mp_input_lines_take(&item, "-") ||
		!mp_input_csv_take_number(&item, &span->end) ||
		(inclusive && span->end == INT64_MAX))
		return false;
	span->end += inclusive;
	if (item.at == item.end)
		return true;
	return mp_input_lines_take(&item, "@") &&
	       mp_input_lines_take_number(&item, INT64_MAX, &gap->low) &&
	       mp_input_lines_take(&item, ":") &&
	       mp_input_lines_number(item, INT64_MAX, &gap->high) &&
	       gap->low < gap->high;
}

static bool read_gaps(struct csv *csv, struct text cell, uint32_t tensor)
{
	uint32_t from = csv->gaps.n;
	struct text rest = cell, item;
	const char *fault;

	assert(tensor < csv->n_lines);
	while (rest.at < rest.end) {
		struct lifetime_gap gap = {.tensor = tensor};
		struct time_span span;

		item = mp_input_lines_cut(&rest, ' ');
		if (item.at == item.end)
			continue;
		if (!read_gap(item, csv->inclusive, &gap, &span))
			return fail_gaps(csv, cell);
		if (!mp_input_gap_list_add(&csv->gaps, &gap, &span, csv->arena))
			return false;
	}
	fault = mp_input_gap_list_fault(&csv->gaps, from, &csv->spans[tensor],
		csv->graph->tensors[tensor].size);
	return !fault ||
	       mp_input_lines_fail(&csv->lines, "gaps '%.*s' %s",
		       (int)num_min((uint64_t)(cell.end - cell.at), 40),
		       cell.at, fault);
}

/* ------------------------------------------------------------ pools */

/* The column of pools: each row names the pool of its buffer. Every distinct
 * name is a pool without a capacity; option --pools gives capacities. */
enum {
	MOST_NAMED =
		UINT16_MAX - 1, /* pool lists that struct tensor can index */
};

static bool make_pools(struct csv *csv)
{
	uint32_t most = (uint32_t)num_min(csv->n_lines, MOST_NAMED);

	csv->pools = NEW(csv->arena, struct memory_pool, most);
	return csv->pools && mp_names_init(&csv->pool_names, most, csv->arena);
}

static bool add_pool(struct csv *csv, const char *name)
{
	struct graph *graph = csv->graph;

	if (graph->n_pools == MOST_NAMED)
		return mp_input_lines_fail(
			&csv->lines, "more than 65534 pools");
	csv->last_pool = graph->n_pools;
	csv->pools[graph->n_pools++] = (struct memory_pool){.name = name,
		.capacity = NO_CAPACITY,
		.alignment = graph->alignment};
	return mp_names_add(&csv->pool_names, name, csv->last_pool) == NONE;
}

/* Rows of one pool are often neighbours, so the last pool is compared first. */
static bool find_pool(struct csv *csv, struct text cell)
{
	const char *name;

	if (!csv->pools && !make_pools(csv))
		return false;
	if (csv->graph->n_pools > 0 &&
		mp_input_lines_is(cell, csv->pools[csv->last_pool].name))
		return true;
	name = mp_input_csv_copy_cell(csv, cell);
	if (!name)
		return false;
	csv->last_pool = mp_names_find(&csv->pool_names, name);
	return csv->last_pool != NONE || add_pool(csv, name);
}

/* Reads the pool of a tensor, of which all other columns are read. The first
 * row that names a pool creates it. cell is empty if the row names none. */
static bool read_pool(struct csv *csv, struct text cell, struct tensor *tensor)
{
	if (cell.at < cell.end) {
		if (!find_pool(csv, cell))
			return false;
		assert(csv->last_pool < csv->graph->n_pools);
		tensor->pools = (uint16_t)(csv->last_pool + 1);
		return true;
	}
	if (csv->any_line == 0)
		csv->any_line = csv->lines.number;
	if (csv->fixed_line == 0 && tensor->placed && tensor->size > 0)
		csv->fixed_line = csv->lines.number;
	return true;
}

/* After the last row: sets the pools of the graph. */
static bool set_pools(struct csv *csv)
{
	uint32_t n = csv->graph->n_pools;

	if (n > 1 && csv->fixed_line > 0) {
		csv->lines.number = csv->fixed_line;
		return mp_input_lines_fail(&csv->lines,
			"an offset, but in column 'pool' not which of several "
			"memories it counts from");
	}
	if (n > MOST_POOLS && csv->any_line > 0) {
		csv->lines.number = csv->any_line;
		return mp_input_lines_fail(&csv->lines,
			"column 'pool' is empty, and of more than 64 memories "
			"none is chosen");
	}
	return n == 0 ||
	       mp_input_pools_set(csv->graph, csv->pools, n, csv->arena);
}

/* ------------------------------------------------------------- rows */

/* Keeps the row, unless it can be printed again. */
static bool keep_row(struct csv *csv, struct text line, uint32_t i)
{
	struct graph *graph = csv->graph;
	const char *row = mp_input_csv_copy_line(csv, line);

	if (!row)
		return false;
	if (mp_input_csv_is_plain(
		    csv, row, &graph->tensors[i], &csv->spans[i])) {
		mp_input_csv_drop_copy(csv, row);
		return true;
	}
	if (!graph->csv_rows)
		graph->csv_rows = NEW(csv->arena, const char *, csv->n_lines);
	if (!graph->csv_rows)
		return false;
	graph->csv_rows[i] = row;
	return true;
}

static bool read_row(struct csv *csv, struct text line, uint32_t i)
{
	struct tensor *tensor = &csv->graph->tensors[i];
	struct text id, gaps;

	assert(i < csv->n_lines);
	if (!mp_input_csv_split(csv, line))
		return false;
	if (csv->n_cells != csv->n_columns)
		return mp_input_lines_fail(&csv->lines,
			"%u cells where the header has %u", csv->n_cells,
			csv->n_columns);
	id = csv->cells[csv->place[COLUMN_ID]];
	if (id.at == id.end)
		return mp_input_lines_fail(&csv->lines, "the id is empty");
	gaps = cell_of(csv, COLUMN_GAPS);
	return mp_input_csv_add_id(csv, id, tensor) &&
	       read_span(csv, &csv->spans[i]) && read_size(csv, tensor) &&
	       keep_row(csv, line, i) && read_alignment(csv, tensor) &&
	       read_offset(csv, tensor) &&
	       (gaps.at == gaps.end || read_gaps(csv, gaps, i)) &&
	       read_pool(csv, cell_of(csv, COLUMN_POOL), tensor);
}

static bool only_blank_left(const struct text_lines *lines)
{
	for (const char *c = lines->rest.at; c < lines->rest.end; c++)
		if (*c != '\n' && *c != '\r')
			return false;
	return true;
}

static bool read_rows(struct csv *csv)
{
	struct text line;

	mp_input_csv_read_parts(csv);
	while (mp_input_csv_read_plain(csv, &csv->graph->n_tensors) &&
		mp_input_lines_next(&csv->lines, &line)) {
		if (line.at == line.end && only_blank_left(&csv->lines))
			return true;
		if (line.at == line.end)
			return mp_input_lines_fail(
				&csv->lines, "an empty line between rows");
		if (!read_row(csv, line, csv->graph->n_tensors))
			return false;
		csv->graph->n_tensors++;
	}
	return csv->lines.error->code == MEMPLAN_OK;
}

static bool check_ids(struct csv *csv)
{
	struct arena scratch = mp_arena_beside(csv->arena);
	const struct graph *graph = csv->graph;
	struct names names;
	bool fine;

	if (csv->ids_ascend)
		return true;
	fine = mp_names_init(&names, graph->n_tensors, &scratch);
	for (uint32_t i = 0; fine && i < graph->n_tensors; i++) {
		const char *id = graph->tensors[i].id;
		uint32_t first = mp_names_add(&names, id, i);

		if (first != NONE)
			fine = mp_fail(csv->lines.error, MEMPLAN_EINPUT,
				"%s:%u: id '%.60s' is taken by line %u",
				csv->lines.file, i + 2, id, first + 2);
	}
	mp_arena_free(&scratch);
	return fine;
}

/* ----------------------------------------------------------- reader */

bool mp_input_csv_recognise(const struct input_file *file)
{
	size_t skip = mp_file_mark(file);

	return file->length > skip && (unsigned char)file->bytes[skip] > ' ' &&
	       (unsigned char)file->bytes[skip] < 0x7f &&
	       file->bytes[skip] != '{' && file->bytes[skip] != '[';
}

static bool read_all(struct csv *csv, struct arena *scratch)
{
	uint32_t lines = 1;

	mp_input_csv_cut(csv);
	for (uint32_t i = 0; i < csv->n_parts && lines <= NONE / 4; i++)
		lines += csv->lines_of[i];
	if (lines > NONE / 4)
		return mp_input_lines_fail(&csv->lines, "too many lines");
	csv->n_lines = lines;
	csv->spans = NEW(scratch, struct time_span, lines);
	csv->graph->tensors = NEW(csv->arena, struct tensor, lines);
	if (!csv->spans || !csv->graph->tensors || !read_header(csv) ||
		!read_rows(csv) || !check_ids(csv) || !set_pools(csv) ||
		!mp_input_times_compress(csv->graph, csv->spans,
			csv->graph->n_tensors, &csv->gaps, csv->arena))
		return false;
	csv->graph->ties.gaps = csv->gaps.at;
	csv->graph->ties.n_gaps = csv->gaps.n;
	return true;
}

bool mp_input_csv_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	const struct input_file *file = &input->files[ROLE_MAIN];
	struct arena scratch = mp_arena_beside(arena);
	struct csv csv = {.lines = mp_input_lines(file, e),
		.graph = graph,
		.ids_ascend = true,
		.arena = arena};
	bool fine;

	graph->alignment = input->alignment ? input->alignment : 1;
	fine = read_all(&csv, &scratch);
	mp_arena_free(&scratch);
	return fine;
}
